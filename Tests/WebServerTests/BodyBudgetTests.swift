import TestSupport
import Testing

@testable import WebServer

@Suite(.patience) struct BodyBudgetTests {
    /// Returns a server with room for bodies of 20,000 bytes, and for uploads of 30,000; its path `/slow` waits at the gate.
    private func server(_ gate: Gate = Gate()) throws -> HTTPServer {
        var limits = HTTPServer.Limits()
        (limits.bodies, limits.uploads, limits.requestDeadline) = (20_000, 30_000, .seconds(3_600))
        return try HTTPServer(
            address: "127.0.0.1:0", limits: limits, bodyLimitOverride: { $0.path == "/upload" ? 100_000 : nil },
            handler: { request in
                if request.path == "/slow" { await gate.pass() }
                return .text("body of \(request.body.count)")
            })
    }

    private func post(_ count: Int, to server: HTTPServer, _ path: String = "/") async throws -> String {
        try await RawClient.get(
            server.address, path, method: "POST",
            fields: "Content-Length: \(count)\r\n\r\n\(String(repeating: "x", count: count))")
    }

    /// Returns a client that has announced a body, and sent nothing of it.
    private func announce(_ count: Int, to server: HTTPServer, _ path: String = "/") async throws -> RawClient {
        let client = try await RawClient(server.address)
        try await client.send(
            "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(count)\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        return client
    }

    @Test("a body for which there is no memory is answered 503 until others are whole; small bodies always have room")
    func unfinished() async throws {
        let server = try server()
        let waiting = try await announce(15_000, to: server)
        let refused = try await post(15_000, to: server)
        #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: 5\r\n"))
        #expect(server.counters.busy == 1)
        #expect(try await post(5_000, to: server).hasSuffix("body of 5000"))
        for _ in 1...10 { #expect(try await post(4_000, to: server).hasSuffix("body of 4000")) }
        try await waiting.send(String(repeating: "x", count: 15_000))
        #expect(try await waiting.receive(through: "body of 15000").hasPrefix("HTTP/1.1 200 "))
        try await waitUntil("room") { try await post(15_000, to: server).hasSuffix("body of 15000") }
        await server.shutdown(grace: .seconds(5))
    }

    @Test("a body counts until its request is answered, or its client has left")
    func unanswered() async throws {
        let gate = Gate()
        let server = try server(gate)
        async let first = post(15_000, to: server, "/slow")
        await gate.waitForArrivals(1)
        #expect(try await post(15_000, to: server).hasPrefix("HTTP/1.1 503 "))
        await gate.open()
        #expect(try await first.hasSuffix("body of 15000"))
        try await waitUntil("room") { try await post(15_000, to: server).hasSuffix("body of 15000") }
        var leaving: RawClient? = try await announce(15_000, to: server)
        #expect(leaving != nil)
        leaving = nil
        try await waitUntil("room") { try await post(15_000, to: server).hasSuffix("body of 15000") }
        await server.shutdown(grace: .seconds(5))
    }

    @Test("uploads have a budget of their own, and one alone may be larger than it")
    func uploads() async throws {
        let server = try server()
        let waiting = try await announce(20_000, to: server)
        #expect(try await post(20_000, to: server).hasPrefix("HTTP/1.1 503 "))
        let upload = try await announce(40_000, to: server, "/upload")
        #expect(try await post(10_000, to: server, "/upload").hasPrefix("HTTP/1.1 503 "))
        try await upload.send(String(repeating: "x", count: 40_000))
        #expect(try await upload.receive(through: "body of 40000").hasPrefix("HTTP/1.1 200 "))
        withExtendedLifetime(waiting) {}
        await server.shutdown(grace: .seconds(5))
    }
}
