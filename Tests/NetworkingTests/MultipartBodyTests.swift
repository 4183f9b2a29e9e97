import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience) struct MultipartBodyTests {
    private let client = HTTPClient(retry: .patient)

    @Test("A form's parts arrive in their order, each with its name, its type and its bytes")
    func parts() async throws {
        let server = try ScriptedServer { $0.answer() }
        let image = String(repeating: "그림", count: 100_000)
        let form = [
            MultipartPart("params", contentType: "application/json", content: Data(#"{"name":"외투"}"#.utf8)),
            MultipartPart("images", fileName: "1 \"a\".jpg", contentType: "image/jpeg", content: Data(image.utf8)),
            MultipartPart("images", fileName: "2.png", contentType: "image/png", content: Data()),
        ]
        _ = try await client.send(.raw(HTTPRequest(server.url, method: .post, form: form)))
        let seen = try #require(server.requests.first)
        let type = try #require(seen["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        #expect(seen["Expect"] == nil)
        let boundary = try #require(type.split(separator: "boundary=").last)
        let parts = seen.body.components(separatedBy: "--\(boundary)").dropFirst().dropLast().map {
            $0.components(separatedBy: "\r\n\r\n")
        }
        #expect(parts.count == 3)
        #expect(parts.map { $0[1].dropLast(1) }.map(String.init) == [#"{"name":"외투"}"#, image, ""])
        #expect(parts[0][0].contains(#"form-data; name="params""#))
        #expect(parts[1][0].contains(#"filename="1 %22a%22.jpg""#))
        #expect(parts[2][0].contains("Content-Type: image/png"))
    }

    @Test("The boundary of a Content-Type header is kept, and other headers are sent")
    func headers() async throws {
        let server = try ScriptedServer { $0.answer() }
        let form = [MultipartPart("a", contentType: "text/plain", content: Data("1".utf8))]
        let request = HTTPRequest(
            server.url, method: .post, headers: [HTTPField("identifier", "abc", isSecret: true)], form: form)
        _ = try await client.send(.raw(request))
        #expect(server.requests.first?["identifier"] == "abc")
    }
}
