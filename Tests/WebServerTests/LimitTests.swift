import Foundation
import TestSupport
import Testing

@testable import WebServer

@Suite struct LimitTests {
    private func server(_ change: (inout HTTPServer.Limits) -> Void = { _ in }) throws -> HTTPServer {
        var limits = HTTPServer.Limits()
        change(&limits)
        return try HTTPServer(address: "127.0.0.1:0", limits: limits) { .text("body of \($0.body.count)") }
    }

    @Test("a body over the limit is answered 413", .patience)
    func largeBody() async throws {
        let server = try server { $0.body = 1_000 }
        func send(_ count: Int) async throws -> String {
            let bytes = String(repeating: "x", count: count)
            let fields = "Content-Length: \(count)\r\n\r\n\(bytes)"
            return try await RawClient.get(server.address, "/", method: "POST", fields: fields)
        }
        #expect(try await send(1_000).hasSuffix("body of 1000"))
        #expect(try await send(1_001).hasPrefix("HTTP/1.1 413 "))
        await server.shutdown(grace: .seconds(5))
    }

    /// Returns a server that accepts bodies of 1,000 bytes from requests with the cookie `known`, and of 100 bytes from
    /// others.
    private func serverWithOverride(requestDeadline: Duration? = nil) throws -> HTTPServer {
        var limits = HTTPServer.Limits()
        limits.body = 100
        if let requestDeadline { limits.requestDeadline = requestDeadline }
        // A client that waits for the deadlines of others on a slow machine is silent for longer than a real one may be.
        limits.inactivity = .seconds(3_600)
        return try HTTPServer(
            address: "127.0.0.1:0", limits: limits,
            bodyLimitOverride: {
                $0.method == "POST" && $0.header("Cookie") == "known" && $0.path == "/upload" ? 1_000 : nil
            },
            handler: { .text("body of \($0.body.count)") })
    }

    @Test("a larger body is accepted only if the head allows it", .patience)
    func bodyLimitOverride() async throws {
        let server = try serverWithOverride()
        func send(_ path: String, _ count: Int, cookie: String) async throws -> String {
            let bytes = String(repeating: "x", count: count)
            return try await RawClient.get(
                server.address, path, method: "POST",
                fields: "Cookie: \(cookie)\r\nContent-Length: \(count)\r\n\r\n\(bytes)")
        }
        #expect(try await send("/upload", 1_000, cookie: "known").hasSuffix("body of 1000"))
        #expect(try await send("/upload", 1_001, cookie: "known").hasPrefix("HTTP/1.1 413 "))
        #expect(try await send("/upload", 101, cookie: "other").hasPrefix("HTTP/1.1 413 "))
        #expect(try await send("/", 101, cookie: "known").hasPrefix("HTTP/1.1 413 "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an allowed larger body has more time", .patience)
    func allowedTime() async throws {
        let server = try serverWithOverride(requestDeadline: .seconds(10))
        let slow = try await beginUpload(to: server.address)
        // Meanwhile the deadlines of other connections pass, also of one that is accepted when no other waits; this
        // body can still arrive after them.
        for _ in 1...2 {
            let idle = try await RawClient(server.address)
            #expect(try await idle.receiveAll().isEmpty)
        }
        try await slow.send("abcd")
        #expect(try await slow.receive(through: "body of 4").hasSuffix("body of 4"))
        await server.shutdown(grace: .seconds(5))
    }

    /// Returns a connection whose head is complete and allows a larger body, so that the server waits for the body. If
    /// the server cut a connection because its head was late on a busy machine, a new one is made.
    private func beginUpload(to address: String) async throws -> RawClient {
        let client = try await waitUntil("a head in time") { () async throws -> RawClient? in
            let client = try await RawClient(address)
            do {
                try await client.send(
                    "POST /upload HTTP/1.1\r\nHost: test\r\nCookie: known\r\nContent-Length: 4\r\n"
                        + "Expect: 100-continue\r\n\r\n")
            } catch let error as POSIXError where [.EPIPE, .ECONNRESET].contains(error.code) {
                return nil
            }
            return try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 ") ? client : nil
        } is: {
            $0 != nil
        }
        return try #require(client)
    }

    @Test("a head over the limit is answered 431 or 414", .patience)
    func largeHead() async throws {
        let server = try server()
        let long = String(repeating: "x", count: 20_000)
        #expect(try await RawClient.get(server.address, "/", fields: "X: \(long)\r\n").hasPrefix("HTTP/1.1 431 "))
        #expect(try await RawClient.get(server.address, "/\(long)").hasPrefix("HTTP/1.1 414 "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test(
        "every head up to the limit is served, and every longer one refused", .patience,
        arguments: [("/", "Cookie: a=", "x"), ("/", "Cookie: a=", "x; a="), ("/", "X: ", "x"), ("/?a=", nil, "x")])
    func headOfAnyLength(target: String, field: String?, text: String) async throws {
        let server = try server()
        for length in stride(from: 3_900, through: 20_000, by: 100) {
            let long = String(repeating: text, count: length / text.utf8.count)
            let fields = field.map { "\($0)\(long)\r\n" } ?? ""
            let answer = try await RawClient.get(server.address, field == nil ? target + long : target, fields: fields)
            let statuses = length <= 16_000 ? ["200"] : length <= 16_400 ? ["200", "414", "431"] : ["414", "431"]
            #expect(statuses.contains(String(answer.prefix(12).suffix(3))), "\(length): \(answer)")
        }
        await server.shutdown(grace: .seconds(5))
    }

    @Test(
        "a client whose request is not whole by the deadline is disconnected", .patience,
        arguments: [
            "", "GE", "GET / HTTP/1.1\r\nHost: te", "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nab",
        ])
    func deadline(beginning: String) async throws {
        let server = try server { $0.requestDeadline = .milliseconds(150) }
        let client = try await RawClient(server.address)
        try await client.send(beginning)
        #expect(try await client.receiveAll() == "")
        await server.shutdown(grace: .seconds(5))
    }

    @Test("an idle connection is closed after its response", .patience)
    func idle() async throws {
        let server = try server { $0.requestDeadline = .seconds(10) }
        let client = try await RawClient(server.address)
        try await client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        #expect(try await client.receiveAll().hasSuffix("body of 0"))
        await server.shutdown(grace: .seconds(5))
    }

    @Test(
        "if too many connections are idle, those that have waited longest are closed and a new one is served",
        .patience)
    func idleCrowd() async throws {
        let server = try server { limits in
            limits.connections = 40
            limits.waitingConnections = 20
        }
        var clients: [RawClient] = []
        for _ in 0..<60 { clients.append(try await RawClient(server.address)) }
        #expect(try await RawClient.get(server.address, "/").hasSuffix("body of 0"))
        #expect(try await clients[0].receiveAll() == "")
        #expect(server.counters.crowded > 0)
        await server.shutdown(grace: .seconds(5))
    }

    @Test("sending single bytes does not extend the deadline", .patience)
    func drip() async throws {
        let server = try server { $0.requestDeadline = .milliseconds(150) }
        let client = try await RawClient(server.address)
        try await client.send("GET / HTTP/1.1\r\nHost: test\r\nX: ")
        #expect(try await client.drip(UInt8(ascii: "x")) < 1_000)
        await server.shutdown(grace: .seconds(5))
    }

    @Test("connections over the limit of an address are closed at once", .patience)
    func connectionsPerAddress() async throws {
        let server = try server { $0.connectionsPerAddress = 2 }
        let one = try await RawClient(server.address)
        let two = try await RawClient(server.address)
        for client in [one, two] {
            try await client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try await client.receive(through: "body of 0").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(try await RawClient(server.address).receiveAll().isEmpty)
        await server.shutdown(grace: .seconds(5))
    }

    @Test("connections over the limit wait until there is room", .patience)
    func connections() async throws {
        let server = try server { $0.connections = 1 }
        let request = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"
        var first: RawClient? = try await RawClient(server.address)
        try await first?.send(request)
        _ = try await first?.receive(through: "body of 0")
        let second = try await RawClient(server.address)
        try await second.send(request)
        first = nil
        #expect(try await second.receive(through: "body of 0").hasPrefix("HTTP/1.1 200 "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test(
        "a request with an ambiguous end or target is rejected", .patience,
        arguments: [
            ("/", "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), ("/", "Content-Length : 3\r\n\r\nabc"),
            ("/%", ""), ("/?a=%f", ""), ("/%00", ""), ("/?a=%C3%28", ""), ("ftp://other/", ""), ("*", ""),
        ])
    func doubt(target: String, fields: String) async throws {
        let server = try server()
        let answer = try await RawClient.get(server.address, target, method: "POST", fields: fields)
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("requests are counted, and rejected ones by reason", .patience)
    func counted() async throws {
        let server = try server { $0.body = 1_000 }
        let client = try await RawClient(server.address)
        try await client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        _ = try await client.receive(through: "body of 0")
        #expect(server.counters.requests == 1)
        #expect(server.counters.connections == 1)

        let long = String(repeating: "x", count: 20_000)
        let refused = [
            ("/", "Content-Length: 1001\r\n\r\n"), ("/%", ""), ("/", "X: \(long)\r\n"),
            ("/", "Content-Length : 3\r\n\r\nabc"),
        ]
        for (target, fields) in refused {
            let answer = try await RawClient.get(server.address, target, method: "POST", fields: fields)
            #expect(answer.hasPrefix("HTTP/1.1 4"))
        }
        await server.shutdown(grace: .zero)
        #expect(server.counters.malformed == refused.count)
        #expect(server.counters.requests == 1)
        #expect(server.counters.connections == 0)
    }

    @Test("disconnected late clients are counted", .patience)
    func late() async throws {
        let server = try server { $0.requestDeadline = .milliseconds(150) }
        let client = try await RawClient(server.address)
        #expect(try await client.receiveAll() == "")
        #expect(server.counters.late == 1)
        await server.shutdown(grace: .seconds(5))
    }

    @Test("if clients do not read, those that have been sent to for the longest time are cut", .patience)
    func unread() async throws {
        let size = 512 << 10
        var limits = HTTPServer.Limits()
        limits.queuedBytes = 4 << 20
        let server = try HTTPServer(address: "127.0.0.1:0", limits: limits) { _ in
            WebResponse(contentType: "text/plain", body: .bytes([UInt8](repeating: 0x61, count: size)))
        }
        var clients: [RawClient] = []
        for _ in 0..<20 {
            let client = try await RawClient(server.address)
            try await client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            // The response is queued once it begins to come.
            #expect(try await client.receiveSome().hasPrefix("HTTP/1.1 200 "))
            clients.append(client)
        }
        #expect(try await RawClient.get(server.address, "/").count > size)
        #expect(server.counters.unread >= 20 - (4 << 20) / size)
        #expect(try await clients[0].receiveAll().count < size)
        await server.shutdown(grace: .zero)
    }

    @Test("a body that many clients do not read is in memory once, and cuts none of them", .patience)
    func shared() async throws {
        let body = SharedBytes([UInt8](repeating: 0x61, count: 512 << 10))
        var limits = HTTPServer.Limits()
        limits.queuedBytes = 4 << 20
        let server = try HTTPServer(address: "127.0.0.1:0", limits: limits) { _ in
            WebResponse(contentType: "text/plain", headers: [("Connection", "close")], body: .shared(body))
        }
        var clients: [RawClient] = []
        for _ in 0..<20 {
            let client = try await RawClient(server.address)
            try await client.send("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            #expect(try await client.receiveSome().hasPrefix("HTTP/1.1 200 "))
            clients.append(client)
        }
        for client in clients { #expect(try await client.receiveAll().hasSuffix("aaaa")) }
        #expect(server.counters.unread == 0)
        await server.shutdown(grace: .seconds(5))
    }
}
