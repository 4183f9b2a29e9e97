import Foundation
import Glibc

/// One HTTP request and its response over the loopback interface, on a new connection.
struct HTTPExchange: Sendable {
    let status: Int
    let head: String
    let body: [UInt8]
    /// Whether the body is shorter than its `Content-Length`.
    let isTruncated: Bool

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Sends a request to `address` and reads until the connection closes.
    init(
        _ address: String, _ target: String, method: String = "GET", fields: [String] = [], body: String = ""
    ) async throws {
        let head = ["\(method) \(target) HTTP/1.1", "Host: \(address)", "Connection: close"] + fields
        let request = (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
        // The blocking calls run on a thread of their own, because the sandbox's tasks need the cooperative pool.
        let response: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try roundTrip(with: address, Array(request.utf8)) })
            }
        }
        let end = response.firstRange(of: Array("\r\n\r\n".utf8)) ?? response.endIndex..<response.endIndex
        self.head = String(decoding: response[..<end.lowerBound], as: UTF8.self)
        let bytes = Array(response[end.upperBound...])
        self.body = bytes
        status = Int(self.head.split(separator: " ").dropFirst().first ?? "") ?? 0
        let announced = self.head.lowercased().split(separator: "content-length: ").dropFirst().first
        isTruncated = Int(announced?.prefix { $0.isNumber } ?? "").map { $0 > bytes.count } ?? false
    }
}

private func roundTrip(with address: String, _ request: [UInt8]) throws -> [UInt8] {
    let parts = address.split(separator: ":")
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(parts.last ?? "")?.bigEndian ?? 0
    name.sin_addr.s_addr = inet_addr(String(parts.first ?? ""))
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let status = withUnsafeBytes(of: &name) { bytes in
        connect(
            descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard status == 0, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    var response: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = recv(descriptor, &part, part.count, 0), count > 0 {
        response += part.prefix(count)
    }
    return response
}
