import Concurrency
import Foundation
import Glibc

/// Forwards one client's TCP connection to a server, and can corrupt what the client sends.
final class TCPRelay: Sendable {
    /// The ZeroMQ address for the client.
    let address: String
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    private let corruptsNext = Locked(false)

    /// Listens, and forwards the first connection to a ZeroMQ address on this machine.
    init(to zeroMQAddress: String) {
        let listener = listener
        var here = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutableBytes(of: &here) { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard bind(listener, pointer, size) == 0, listen(listener, 1) == 0,
                getsockname(listener, pointer, &size) == 0
            else { preconditionFailure("cannot listen: errno \(errno)") }
            return bytes.load(fromByteOffset: 2, as: UInt16.self).bigEndian
        }
        address = "tcp://127.0.0.1:\(port)"
        let target = Self.address(port: UInt16(zeroMQAddress.split(separator: ":").last ?? "") ?? 0)
        Thread.detachNewThread { [self] in forward(to: target) }
    }

    deinit {
        close(listener)
    }

    /// Changes the last of the bytes that the client sends next, and then closes the connection.
    func corruptNextBytes() {
        corruptsNext.withLock { $0 = true }
    }

    private func forward(to target: sockaddr_in) {
        let client = accept(listener, nil, nil)
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = withUnsafeBytes(of: target) {
            connect(server, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        precondition(status == 0, "cannot connect: errno \(errno)")
        Thread.detachNewThread { _ = Self.copy(from: server, to: client) { _ in false } }
        _ = Self.copy(from: client, to: server) { bytes in
            guard self.corruptsNext.withLock({ $0 }) else { return false }
            bytes[bytes.count - 1] ^= 1
            return true
        }
        // The kernel resets the connection if the server still sends.
        shutdown(client, Int32(SHUT_RDWR))
        close(server)
        close(client)
    }

    /// Copies bytes until either side ends or `change` returns true; returns whether `change` has.
    private static func copy(from source: Int32, to sink: Int32, change: (inout [UInt8]) -> Bool) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            var bytes = Array(buffer.prefix(count))
            let isLast = change(&bytes)
            guard send(sink, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count, !isLast else { return isLast }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
