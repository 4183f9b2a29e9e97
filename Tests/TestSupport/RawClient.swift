import Foundation
import Glibc

/// A TCP client that sends any bytes, valid HTTP or not.
public final class RawClient: Sendable {
    private let descriptor: Int32

    /// Connects to a host and port.
    public init(_ address: String) async throws {
        descriptor = try await onThread { try connected(to: address) }
    }

    deinit {
        close(descriptor)
    }

    /// Sends `text` and nothing else.
    public func send(_ text: String) async throws {
        try await onThread { [self] in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Everything that comes until the server closes the connection.
    public func receiveAll() async throws -> String {
        try await onThread { [self] in
            var text: [UInt8] = []
            while let part = receivePart() { text += part }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// What comes first, at most 64 KiB; empty if the server closes the connection.
    public func receiveSome() async throws -> String {
        try await onThread { [self] in String(decoding: receivePart() ?? [], as: UTF8.self) }
    }

    /// Returns the received text up to and including `end`.
    public func receive(through end: String) async throws -> String {
        try await onThread { [self] in
            var text = ""
            while !text.hasSuffix(end), let part = receivePart() { text += String(decoding: part, as: UTF8.self) }
            return text
        }
    }

    /// Sends `byte` every 20 ms until the server closes the connection; returns how many went out.
    public func drip(_ byte: UInt8) async throws -> Int {
        try await onThread { [self] in
            for count in 0... {
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                var byte = byte
                if poll(&state, 1, 20) > 0 || Glibc.send(descriptor, &byte, 1, Int32(MSG_NOSIGNAL)) < 0 {
                    return count
                }
            }
            return .max
        }
    }

    private func receivePart() -> [UInt8]? {
        var part = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &part, part.count, 0)
        return count > 0 ? Array(part.prefix(count)) : nil
    }

    /// Sends `text` on a new connection and returns the whole response.
    public static func talk(to address: String, _ text: String) async throws -> String {
        let client = try await RawClient(address)
        try await client.send(text)
        return try await client.receiveAll()
    }

    /// A request with all that HTTP demands, as the last of its connection.
    public static func get(
        _ address: String, _ target: String, method: String = "GET", fields: String = ""
    ) async throws -> String {
        try await talk(
            to: address, "\(method) \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(fields)\r\n")
    }
}

private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

private func connected(to address: String) throws -> Int32 {
    let colon = address.lastIndex(of: ":") ?? address.startIndex
    let host = address[..<colon].trimmingCharacters(in: ["[", "]"])
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(address[colon...].dropFirst()), &hints, &list) == 0, let found = list?.pointee else {
        throw POSIXError(.EADDRNOTAVAIL)
    }
    defer { freeaddrinfo(list) }
    let descriptor = socket(found.ai_family, found.ai_socktype, 0)
    guard connect(descriptor, found.ai_addr, found.ai_addrlen) == 0 else {
        let code = POSIXErrorCode(rawValue: errno) ?? .EIO
        close(descriptor)
        throw POSIXError(code)
    }
    return descriptor
}
