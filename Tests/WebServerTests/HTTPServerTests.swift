import Foundation
import TestSupport
import Testing

@testable import WebServer

/// Returns a server on a free port that echoes each request.
private func echo() throws -> HTTPServer {
    try HTTPServer(address: "127.0.0.1:0") { request in
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        let agent = request.header("user-AGENT") ?? "none"
        let body = String(decoding: request.body, as: UTF8.self)
        return .text("\(request.method) \(request.path) [\(query)] \(agent) \(body)")
    }
}

@Suite struct HTTPServerTests {
    @Test("a request reaches the handler whole and decoded", .patience)
    func request() async throws {
        let server = try echo()
        let answer = try await RawClient.get(
            server.address, "/%EC%98%81%ED%99%94/a+b?q=%ED%8C%8C%EB%AC%98+2024&q=%2B&empty&x=a=b", method: "POST",
            fields: "User-Agent: test/1\r\nContent-Length: 5\r\n\r\nhello")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Content-Type: text/plain;charset=UTF-8\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nPOST /영화/a+b [q=파묘 2024|q=+|empty=|x=a=b] test/1 hello"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a target in absolute form is read like its path, and its host takes the place of Host", .patience)
    func absoluteForm() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { .text("\($0.path) \($0.header("Host") ?? "none")") }
        let answers = [
            "http://other:81/a%20b?c": "/a b other:81", "http://other": "/ other", "http://other?c=/": "/ other",
            "HTTPS://[::1]/": "/ [::1]",
        ]
        for (target, answer) in answers {
            #expect(try await RawClient.get(server.address, target).hasSuffix("\r\n\r\n\(answer)"), "\(target)")
        }
        await server.shutdown(grace: .seconds(5))
    }

    @Test("status, type and fields of an answer are the handler's", .patience, arguments: [404, 429, 503])
    func answers(status: Int) async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            var response = WebResponse.json(Array("{}".utf8), status: status)
            response.headers = [("Retry-After", "1"), ("X-Two", "a"), ("X-Two", "b")]
            return response
        }
        let answer = try await RawClient.get(server.address, "/nowhere")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Content-Type: application/json;charset=UTF-8\r\n"))
        #expect(answer.contains("Retry-After: 1\r\n"))
        #expect(answer.contains("X-Two: a\r\nX-Two: b\r\n"))
        #expect(answer.contains("Content-Length: 2\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n{}"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an invalid header field turns the response into a 500", .patience)
    func injectedField() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            WebResponse(contentType: "text/plain", headers: [("Location", "/\r\nSet-Cookie: a=b")], body: .bytes([]))
        }
        let answer = try await RawClient.get(server.address, "/")
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        #expect(!answer.contains("Set-Cookie"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("HEAD is answered as GET without the body", .patience)
    func head() async throws {
        let server = try echo()
        let answer = try await RawClient.get(server.address, "/x", method: "HEAD")
        #expect(answer.contains("Content-Length: 15\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an unknown method reaches the handler", .patience)
    func unknownMethod() async throws {
        let server = try echo()
        #expect(try await RawClient.get(server.address, "/", method: "BREW").hasSuffix("BREW / [] none "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("requests may follow each other on a connection without waiting", .patience)
    func pipelining() async throws {
        let server = try echo()
        let answer = try await RawClient.talk(
            to: server.address,
            """
            GET /1 HTTP/1.1\r\nHost: test\r\n\r\n\
            GET /2 HTTP/1.1\r\nHost: test\r\n\r\n\
            GET /3 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n
            """)
        #expect(answer.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 4)
        #expect(answer.hasSuffix("GET /3 [] none "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a truncated body announces more than it sends and ends the connection", .patience)
    func truncated() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            WebResponse(contentType: "application/json", body: .truncated(Array("{\"half\":".utf8), announced: 4_000))
        }
        let client = try await RawClient(server.address)
        try await client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        let answer = try await client.receiveAll()
        #expect(answer.contains("Content-Length: 4000\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n{\"half\":"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("handlers run at the same time", .patience)
    func concurrency() async throws {
        let gate = Gate()
        let server = try HTTPServer(address: "127.0.0.1:0") { request in
            await gate.pass()
            return .text(request.path)
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    try await RawClient.get(server.address, "/\(number)").hasSuffix("\r\n\r\n/\(number)")
                }
            }
            await gate.waitForArrivals(64)
            await gate.open()
            for try await isRight in group { #expect(isRight) }
        }
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a client that disconnects while its handler runs has no effect on others", .patience)
    func disconnect() async throws {
        let gate = Gate()
        let server = try HTTPServer(address: "127.0.0.1:0") { request in
            if request.path == "/slow" { await gate.pass() }
            return .text(String(repeating: "x", count: 1 << 20))
        }
        for count in 1...8 {
            let client = try await RawClient(server.address)
            try await client.send("GET /slow HTTP/1.1\r\nHost: test\r\n\r\n")
            await gate.waitForArrivals(count)
        }
        await gate.open()
        #expect(try await RawClient.get(server.address, "/").hasPrefix("HTTP/1.1 200 "))
        await server.shutdown(grace: .seconds(5))
    }
}
