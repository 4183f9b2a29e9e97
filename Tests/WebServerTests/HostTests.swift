import TestSupport
import Testing

@testable import WebServer

/// What a browser sends to a foreign name that leads to this server (DNS rebinding).
@Suite struct HostTests {
    private func status(_ fields: String, _ line: String = "POST / HTTP/1.1") async throws -> String {
        let policy = HostPolicy(names: ["Board.example"], openPaths: ["/healthz"])
        let server = try HTTPServer(address: "127.0.0.1:0", hosts: policy) { _ in .text("ok") }
        let answer = try await RawClient.talk(
            to: server.address, "\(line)\r\n\(fields)\r\nConnection: close\r\n\r\n")
        await server.shutdown(grace: .seconds(5))
        return String(answer.prefix(12).suffix(3))
    }

    @Test(
        "an address, localhost and the operator's names are answered, with any port", .patience,
        arguments: [
            "127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[fe80::1]", "localhost", "LOCALHOST:1", "board.example",
            "BOARD.example:443", "10.0.0.7:80", "localhost.", "board.example.:443",
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
            "localhost..", ".", "localhost:80:80", "localhost:x", "0x7f000001", "127.1", "user@localhost",
            "board.example\u{301}",
        ])
    func foreign(host: String) async throws {
        #expect(try await status("Host: \(host)\r\nOrigin: http://\(host)") == "421")
        #expect(try await status("Host: \(host)", "POST / HTTP/1.0") == "421")
    }

    @Test("the host of a target in absolute form counts, and not the one in Host", .patience)
    func absoluteForm() async throws {
        #expect(try await status("Host: evil.example", "GET http://localhost:1/?a=b HTTP/1.1") == "200")
        #expect(try await status("Host: evil.example", "GET HTTP://Board.example HTTP/1.1") == "200")
        #expect(try await status("Host: localhost", "GET http://evil.example/ HTTP/1.1") == "421")
        #expect(try await status("Host: localhost", "GET http://evil@localhost/ HTTP/1.1") == "421")
        #expect(try await status("X: y", "GET http://evil.example/ HTTP/1.0") == "421")
        #expect(try await status("Host: localhost", "GET http:///healthz HTTP/1.1") == "400")
        let fields = "Host: localhost\r\nOrigin: http://localhost"
        #expect(try await status(fields, "GET http://127.0.0.1/ HTTP/1.1") == "403")
    }

    @Test("a request that names no host is answered, but not one of a foreign page", .patience)
    func nameless() async throws {
        #expect(try await status("Host:") == "200")
        #expect(try await status("X: y", "POST / HTTP/1.0") == "200")
        #expect(try await status("Host:\r\nOrigin: http://evil.example") == "403")
        #expect(try await status("Origin: http://evil.example", "POST / HTTP/1.0") == "403")
    }

    @Test("an open path is answered under every name, and no other path is", .patience)
    func openPath() async throws {
        #expect(try await status("Host: lb.example", "GET /healthz HTTP/1.1") == "200")
        #expect(try await status("Host: lb.example", "GET /healthz/ HTTP/1.1") == "421")
        #expect(try await status("Host: lb.example", "GET /?/healthz HTTP/1.1") == "421")
    }

    @Test("a load balancer asks with OPTIONS under every name, or under none", .patience)
    func options() async throws {
        #expect(try await status("User-Agent: x", "OPTIONS / HTTP/1.0") == "200")
        #expect(try await status("Host: lb.example", "OPTIONS / HTTP/1.1") == "200")
        #expect(try await status("Host: lb.example", "OPTIONS /api HTTP/1.1") == "421")
    }
}
