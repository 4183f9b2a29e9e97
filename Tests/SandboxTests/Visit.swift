import Foundation
import Glibc

/// One HTTP exchange over real loopback, on a connection of its own.
struct Visit: Sendable {
    let status: Int
    let head: String
    let body: [UInt8]
    /// Whether fewer bytes came than the header announced.
    let isCut: Bool

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Asks `address` for `target` and reads to the end of the connection.
    init(
        _ address: String, _ target: String, method: String = "GET", fields: [String] = [], body: String = ""
    ) async throws {
        let head = ["\(method) \(target) HTTP/1.1", "Host: \(address)", "Connection: close"] + fields
        let request = (head + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
        // Blocking calls get a thread of their own: the sandbox's tasks need those of the pool.
        let answer: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(with: address, Array(request.utf8)) })
            }
        }
        let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) ?? answer.endIndex..<answer.endIndex
        self.head = String(decoding: answer[..<end.lowerBound], as: UTF8.self)
        let bytes = Array(answer[end.upperBound...])
        self.body = bytes
        status = Int(self.head.split(separator: " ").dropFirst().first ?? "") ?? 0
        let announced = self.head.lowercased().split(separator: "content-length: ").dropFirst().first
        isCut = Int(announced?.prefix { $0.isNumber } ?? "").map { $0 > bytes.count } ?? false
    }
}

private func exchange(with address: String, _ request: [UInt8]) throws -> [UInt8] {
    let parts = address.split(separator: ":")
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = UInt16(parts.last ?? "")?.bigEndian ?? 0
    place.sin_addr.s_addr = inet_addr(String(parts.first ?? ""))
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let status = withUnsafeBytes(of: &place) { bytes in
        connect(
            descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard status == 0, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while case let count = recv(descriptor, &part, part.count, 0), count > 0 {
        answer += part.prefix(count)
    }
    return answer
}
