import Concurrency
import TestSupport
import Testing

@testable import WebServer

@Suite(.patience) struct StreamingBodyTests {
    /// Returns a server that responds with one streaming body, and a stream with an element for each call of `onClose`.
    private func server(limit: Int = 1 << 20) throws -> (HTTPServer, StreamingBody, AsyncStream<Void>) {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let body = StreamingBody(limit: limit) { end.yield() }
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            WebResponse(contentType: "text/event-stream", body: .streaming(body))
        }
        return (server, body, ends)
    }

    private static let request = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

    @Test("parts pushed before and after the request are sent at once, and the end ends the response")
    func parts() async throws {
        let (server, body, ends) = try server()
        #expect(body.push([Array("one\n".utf8)]))
        let client = try await RawClient(server.address)
        try await client.send(Self.request)
        #expect(try await client.receive(through: "one\n\r\n").contains("Transfer-Encoding: chunked"))
        #expect(body.push([Array("two\n".utf8)]))
        #expect(try await client.receive(through: "two\n\r\n").hasSuffix("two\n\r\n"))
        body.end()
        #expect(try await client.receive(through: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        for await _ in ends { break }
        #expect(!body.push([[1]]))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a long part arrives whole, in pieces")
    func longPart() async throws {
        let (server, body, _) = try server()
        let client = try await RawClient(server.address)
        try await client.send(Self.request)
        let text = String(repeating: "0123456789", count: 50_000)
        body.push([Array((text + "!").utf8)])
        let answer = try await client.receive(through: "!\r\n")
        let payload = answer.split(separator: "\r\n").filter { $0.count > 12 || $0.hasSuffix("!") }
        #expect(payload.joined().hasSuffix("0123456789!"))
        #expect(answer.utf8.count > 500_000)
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a client that does not read is disconnected, and nothing waits for it")
    func slowClient() async throws {
        let (server, body, ends) = try server(limit: 64 << 10)
        let client = try await RawClient(server.address)
        try await client.send(Self.request)
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 10)
        // The system's buffers hold some megabytes before the body's own limit counts.
        try await waitUntil("the body is full") { !body.push([part]) }
        for await _ in ends { break }
        withExtendedLifetime(client) {}
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a disconnected client is detected at the next part")
    func goneClient() async throws {
        let (server, body, ends) = try server()
        do {
            let client = try await RawClient(server.address)
            try await client.send(Self.request)
            body.push([Array("one\n".utf8)])
            _ = try await client.receive(through: "one\n\r\n")
        }
        try await waitUntil("the body has ended") { !body.push([Array("more\n".utf8)]) }
        for await _ in ends { break }
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a stop ends streaming bodies at once, suspended ones too")
    func stop() async throws {
        let (server, body, ends) = try server()
        let clients = try await [RawClient(server.address), RawClient(server.address)]
        try await clients[0].send(Self.request)
        body.push([Array("one\n".utf8)])
        _ = try await clients[0].receive(through: "one\n\r\n")
        await server.shutdown(grace: .seconds(60))
        for await _ in ends { break }
        #expect(try await clients[0].receiveAll().hasSuffix("0\r\n\r\n"))
    }

    @Test("HEAD is answered without a body, and the body is released")
    func head() async throws {
        let (server, _, ends) = try server()
        let client = try await RawClient(server.address)
        try await client.send("HEAD / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        #expect(try await client.receiveAll().hasSuffix("\r\n\r\n"))
        for await _ in ends { break }
        await server.shutdown(grace: .seconds(5))
    }
}
