import TestSupport
import Testing

@testable import WebServer

@Suite struct ShutdownTests {
    @Test("a handler that ends within the grace is answered in full", .patience)
    func slowHandler() async throws {
        let gate = Gate()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            await gate.pass()
            return .text("done")
        }
        async let answer = RawClient.get(server.address, "/")
        await gate.waitForArrivals(1)
        async let stopped: Void = server.shutdown(grace: .seconds(3_600))
        await gate.open()
        #expect(try await answer.hasSuffix("\r\n\r\ndone"))
        await stopped
    }

    @Test("a handler that does not end is cancelled and its client gets a 503", .patience)
    func hangingHandler() async throws {
        let gate = Gate()
        let cancelled = Gate()
        await cancelled.open()
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                Task { await cancelled.pass() }
            }
            return .text("too late")
        }
        async let answer = RawClient.get(server.address, "/")
        await gate.waitForArrivals(1)
        await server.shutdown(grace: .zero)
        #expect(try await answer.hasPrefix("HTTP/1.1 503 "))
        await cancelled.waitForArrivals(1)
        await gate.open()
    }

    @Test("while one request keeps the server up, new ones are answered 503", .patience)
    func newRequests() async throws {
        let gate = Gate()
        var limits = HTTPServer.Limits()
        limits.requestDeadline = .seconds(3_600)
        let server = try HTTPServer(address: "127.0.0.1:0", limits: limits) { _ in
            await gate.pass()
            return .text("done")
        }
        let idle = try await RawClient(server.address)
        async let first = RawClient.get(server.address, "/")
        await gate.waitForArrivals(1)
        async let stopped: Void = server.shutdown(grace: .seconds(3_600))
        #expect(try await idle.receiveAll().isEmpty)  // it is cut: from here on the server is stopping
        let late = try await RawClient.get(server.address, "/")
        #expect(late.hasPrefix("HTTP/1.1 503 "))
        await gate.open()
        #expect(try await first.hasSuffix("done"))
        await stopped
    }

    @Test("idle clients and unfinished requests do not delay the stop", .patience)
    func idleClients() async throws {
        let server = try HTTPServer(address: "127.0.0.1:0") { _ in .text("hello") }
        let idle = try await RawClient(server.address)
        try await idle.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        _ = try await idle.receive(through: "hello")
        let half = try await RawClient(server.address)
        try await half.send("GET / HT")
        async let stopped: Void = server.shutdown(grace: .seconds(3_600))
        #expect(try await idle.receiveAll().isEmpty)
        #expect(try await half.receiveAll().isEmpty)
        await stopped
    }

    @Test("afterwards the address is free, and stopping again does nothing", .patience)
    func freedAddress() async throws {
        let server = try HTTPServer(address: "127.0.0.1:\(try reservePort())") { _ in .text("old") }
        _ = try await RawClient.get(server.address, "/")
        async let one: Void = server.shutdown(grace: .seconds(5))
        async let two: Void = server.shutdown(grace: .seconds(5))
        _ = await (one, two)
        // Refused, or reset before or after the request was sent: a process that is being started has the listening
        // socket, too, until it becomes another program.
        let answer = try? await RawClient.get(server.address, "/")
        #expect(answer == nil || answer == "")
        let next = try await waitUntil("the address is free") { () async throws -> HTTPServer? in
            do throws(HTTPServerError) {
                return try HTTPServer(address: server.address) { _ in .text("new") }
            } catch {
                guard error.isAddressInUse else { throw error }
                return nil
            }
        } is: {
            $0 != nil
        }
        #expect(try await RawClient.get(server.address, "/").hasSuffix("new"))
        await next?.shutdown(grace: .seconds(5))
        await server.shutdown(grace: .seconds(5))
    }

    @Test("stopping under load neither aborts nor hangs", .patience, arguments: 0..<20)
    func underLoad(round: Int) async throws {
        let arrived = Gate()
        await arrived.open()
        let server = try HTTPServer(address: "127.0.0.1:0") { request in
            await arrived.pass()
            try? await Task.sleep(for: .milliseconds(1))
            return .text(request.path)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    // Until the server refuses; an answer cut short by its end is as good as a refusal.
                    while (try? await RawClient.get(server.address, "/"))?.hasPrefix("HTTP/1.1 200 ") == true {}
                }
            }
            await arrived.waitForArrivals(4 + round)
            await server.shutdown(grace: round.isMultiple(of: 2) ? .zero : .seconds(5))
        }
    }
}
