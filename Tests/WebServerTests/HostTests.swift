import TestSupport
import Testing

@testable import WebServer

/// What a browser sends to a foreign name that leads to this server (DNS rebinding).
@Suite struct HostTests {
    private func status(_ fields: String) async throws -> String {
        let server = try HTTPServer(address: "127.0.0.1:0", hosts: HostPolicy(names: ["Board.example"])) { _ in
            .text("ok")
        }
        let answer = try await RawClient.talk(
            to: server.address, "POST / HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n")
        await server.shutdown(grace: .seconds(5))
        return String(answer.prefix(12).suffix(3))
    }

    @Test(
        "an address, localhost and the operator's names are answered, with any port", .patience,
        arguments: [
            "127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[fe80::1]", "localhost", "LOCALHOST:1", "board.example",
            "BOARD.example:443", "10.0.0.7:80",
        ])
    func known(host: String) async throws {
        #expect(try await status("Host: \(host)") == "200")
        #expect(try await status("Host: \(host)\r\nOrigin: http://\(host)") == "200")
        #expect(try await status("Host: \(host)\r\nOrigin: https://\(host)") == "200")
        #expect(try await status("Host: \(host)\r\nOrigin: http://evil.example") == "403")
        #expect(try await status("Host: \(host)\r\nOrigin: null") == "403")
        #expect(try await status("Host: \(host)\r\nOrigin: http://\(host)\r\nOrigin: http://evil.example") == "403")
    }

    @Test(
        "another name is refused", .patience,
        arguments: [
            "evil.example", "evil.example:8080", "board.example.evil", "127.0.0.1.evil.example", "[::1].evil", "[::1",
            "localhost.", "localhost:80:80", "localhost:x", "0x7f000001", "127.1", "user@localhost",
            "board.example\u{301}",
        ])
    func foreign(host: String) async throws {
        #expect(try await status("Host: \(host)\r\nOrigin: http://\(host)") == "421")
    }
}
