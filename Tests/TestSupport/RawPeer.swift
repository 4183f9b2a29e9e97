import Foundation

/// A ZMTP 3.0 peer over plain TCP that sends exactly the bytes of a test.
public final class RawPeer: Sendable {
    /// Returns the greeting (signature, version, mechanism, role and filler) and the READY command with socket type and
    /// routing id.
    public static func greeting(as kind: String = "DEALER", named name: String = "") -> [UInt8] {
        greeting(as: kind, named: Array(name.utf8))
    }

    /// Returns the same with a routing id of any bytes.
    public static func greeting(as kind: String = "DEALER", named name: [UInt8]) -> [UInt8] {
        func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
            [UInt8(name.utf8.count)] + name.utf8 + [0, 0, 0, UInt8(value.count)] + value
        }
        let body = [5] + "READY".utf8 + property("Socket-Type", Array(kind.utf8)) + property("Identity", name)
        return [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + "NULL".utf8 + [UInt8](repeating: 0, count: 48)
            + [4, UInt8(body.count)] + body
    }

    /// Returns a frame of a message; `more` announces another one.
    public static func frame(_ body: [UInt8], more: Bool = false) -> [UInt8] {
        let flag: UInt8 = more ? 1 : 0
        guard body.count > 255 else { return [flag, UInt8(body.count)] + body }
        return [flag | 2] + withUnsafeBytes(of: UInt64(body.count).bigEndian, Array.init) + body
    }

    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    /// Connects to a ZeroMQ address on this machine.
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

    /// Shuts down both directions of the connection.
    public func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends bytes. Returns false if the peer has closed the connection.
    public func sendBytes(_ bytes: [UInt8]) -> Bool {
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads the peer's greeting and READY, before which it accepts no messages. Returns false if it closes.
    public func waitForReady() -> Bool {
        guard let start = read(66), let length = start.last else { return false }
        return read(Int(length)) != nil
    }

    /// Sends the greeting, and reads the peer's.
    public func handshake(as kind: String = "DEALER", named name: String = "") -> Bool {
        sendBytes(Self.greeting(as: kind, named: name)) && waitForReady()
    }

    /// Blocks until the next frame, also of a command, and returns its bytes; nil if the peer closes the connection.
    public func receiveFrame() -> [UInt8]? {
        guard let flags = read(1)?[0], let length = read(flags & 2 == 0 ? 1 : 8) else { return nil }
        return read(length.reduce(0) { $0 << 8 | Int($1) })
    }

    /// Blocks until the next message and returns it; nil if the peer closes the connection. Skips commands.
    public func receiveMessage() -> [[UInt8]]? {
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

    /// Blocks until the peer closes the connection. Returns false if it ends with another error.
    public func waitForEnd() -> Bool {
        var answer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = recv(descriptor, &answer, answer.count, 0)
            if count <= 0 { return count == 0 || errno == ECONNRESET }
        }
    }
}

/// Runs a blocking function on its own thread, and returns its result.
public func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}
