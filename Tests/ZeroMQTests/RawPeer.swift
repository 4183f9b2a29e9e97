import Glibc

/// A peer that speaks ZMTP 3.0 over plain TCP, and does only what it is told to.
final class RawPeer: Sendable {
    /// What a peer says first: signature, version, mechanism, role and filler; then what kind of socket it is.
    static func greeting(as kind: String = "DEALER") -> [UInt8] {
        let body = [5] + "READY".utf8 + [11] + "Socket-Type".utf8 + [0, 0, 0, UInt8(kind.utf8.count)] + kind.utf8
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + "NULL".utf8 + [UInt8](repeating: 0, count: 48)
            + [4, UInt8(body.count)] + body
    }

    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    /// Connects to an address of ZeroMQ on this machine.
    init(connectedTo zeroMQAddress: String) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = (UInt16(zeroMQAddress.split(separator: ":").last ?? "") ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafeBytes(of: &address) {
            connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        precondition(status == 0, "cannot connect to \(zeroMQAddress): errno \(errno)")
    }

    deinit {
        close(descriptor)
    }

    /// Sends; false if the other side has hung up.
    func say(_ bytes: [UInt8]) -> Bool {
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads the other side's greeting and its READY, before which it takes no messages; false if it hangs up.
    func waitForReady() -> Bool {
        guard let start = read(66), let length = start.last else { return false }
        return read(Int(length)) != nil
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    /// Reads until the other side hangs up, and blocks until then; false on another end.
    func waitForEnd() -> Bool {
        var answer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = recv(descriptor, &answer, answer.count, 0)
            if count <= 0 { return count == 0 || errno == ECONNRESET }
        }
    }
}
