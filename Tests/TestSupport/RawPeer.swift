import Foundation

/// A peer that speaks ZMTP 3.0 over plain TCP, and does only what it is told to.
public final class RawPeer: Sendable {
    /// What a peer says first: signature, version, mechanism, role and filler; then what kind of socket it is, and by which
    /// routing id it wants to be known.
    public static func greeting(as kind: String = "DEALER", named name: String = "") -> [UInt8] {
        func property(_ name: String, _ value: String) -> [UInt8] {
            [UInt8(name.utf8.count)] + name.utf8 + [0, 0, 0, UInt8(value.utf8.count)] + value.utf8
        }
        let body = [5] + "READY".utf8 + property("Socket-Type", kind) + property("Identity", name)
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + "NULL".utf8 + [UInt8](repeating: 0, count: 48)
            + [4, UInt8(body.count)] + body
    }

    /// A frame of a message, and whether another one follows.
    public static func frame(_ body: [UInt8], more: Bool = false) -> [UInt8] {
        let flag: UInt8 = more ? 1 : 0
        guard body.count > 255 else { return [flag, UInt8(body.count)] + body }
        return [flag | 2] + withUnsafeBytes(of: UInt64(body.count).bigEndian, Array.init) + body
    }

    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    /// Connects to an address of ZeroMQ on this machine.
    public init(connectedTo zeroMQAddress: String) {
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

    /// Ends the connection, at once and for both directions.
    public func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends; false if the other side has hung up.
    public func say(_ bytes: [UInt8]) -> Bool {
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads the other side's greeting and its READY, before which it takes no messages; false if it hangs up.
    public func waitForReady() -> Bool {
        guard let start = read(66), let length = start.last else { return false }
        return read(Int(length)) != nil
    }

    /// Greets, and reads the other side's greeting.
    public func greet(as kind: String = "DEALER", named name: String = "") -> Bool {
        say(Self.greeting(as: kind, named: name)) && waitForReady()
    }

    /// Reads the next message, and blocks until it is there; nil if the other side hangs up. Commands are passed over.
    public func hear() -> [[UInt8]]? {
        var frames: [[UInt8]] = []
        while let flags = read(1)?[0], let length = read(flags & 2 == 0 ? 1 : 8),
            let body = read(length.reduce(0) { $0 << 8 | Int($1) })
        {
            guard flags & 4 == 0 else { continue }
            frames.append(body)
            if flags & 1 == 0 { return frames }
        }
        return nil
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    /// Reads until the other side hangs up, and blocks until then; false on another end.
    public func waitForEnd() -> Bool {
        var answer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = recv(descriptor, &answer, answer.count, 0)
            if count <= 0 { return count == 0 || errno == ECONNRESET }
        }
    }
}

/// Does what blocks on a thread of its own.
public func apart<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
