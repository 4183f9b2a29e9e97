import Concurrency
import Foundation
import TestSupport
import Testing

@testable import Networking

@Suite(.patience)
struct SharedTransferTests {
    private let client = HTTPClient(limits: HTTPClient.Limits(perHost: 3), retry: .patient)

    @Test("Eight concurrent identical calls send one request")
    func shared() async throws {
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer("\(exchange.number)")
        }
        let endpoint = APICall.text(HTTPRequest(server.url))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...8 { group.addTask { try await client.send(endpoint) } }
            try await client.waitForCallers(8)
            gate.withLock { $0 = true }
            for try await value in group { #expect(value == "1") }
        }
        #expect(server.requests.count == 1)
        #expect(try await client.send(endpoint) == "2")
    }

    @Test("All callers of a shared transfer get its error")
    func sharedError() async throws {
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer(status: 404)
        }
        let endpoint = APICall.text(HTTPRequest(server.url))
        try await withThrowingTaskGroup(of: UpstreamError?.self) { group in
            for _ in 1...8 {
                group.addTask { await failure { () async throws(UpstreamError) in try await client.send(endpoint) } }
            }
            try await client.waitForCallers(8)
            gate.withLock { $0 = true }
            for try await error in group { #expect(error?.kind == .notFound) }
        }
        #expect(server.requests.count == 1)
    }

    @Test("Different requests are not shared, nor are unsafe methods")
    func notShared() async throws {
        let server = try ScriptedServer { exchange in
            exchange.waitForPeak(3)
            exchange.answer()
        }
        let request = HTTPRequest(server.url)
        let other = HTTPRequest(server.url, headers: [HTTPField("X", "1")])
        async let text = client.send(.text(request))
        async let raw = client.send(.raw(request))
        async let header = client.send(.text(other))
        _ = try await (text, raw, header)
        #expect(server.requests.count == 3)

        async let first = client.send(.text(HTTPRequest(server.url, method: .post)))
        async let second = client.send(.text(HTTPRequest(server.url, method: .post)))
        _ = try await (first, second)
        #expect(server.requests.count == 5)
    }

    @Test("A cancelled caller returns at once, and the others get the value")
    func oneCancelled() async throws {
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer("answer")
        }
        let endpoint = APICall.text(HTTPRequest(server.url))
        let staying = Task { try await client.send(endpoint) }
        try await client.waitForCallers(1)
        let leaving = Task { await failure { () async throws(UpstreamError) in try await client.send(endpoint) } }
        try await client.waitForCallers(2)
        leaving.cancel()
        #expect(await leaving.value?.kind == .cancelled)
        gate.withLock { $0 = true }
        #expect(try await staying.value == "answer")
        #expect(server.requests.count == 1)
    }

    @Test("Cancelling the last caller cancels the transfer, and the next call starts another")
    func allCancelled() async throws {
        let hungUp = AsyncStream.makeStream(of: Void.self)
        let server = try ScriptedServer { exchange in
            if exchange.number > 1 { return exchange.answer("again") }
            exchange.waitForDisconnect()
            hungUp.continuation.yield()
        }
        // Nothing but the cancellation ends the transfer.
        let client = HTTPClient(retry: .patient)
        let endpoint = APICall.text(HTTPRequest(server.url, deadline: .seconds(3600)))
        let callers = (1...3).map { _ in
            Task { await failure { () async throws(UpstreamError) in try await client.send(endpoint) } }
        }
        for await _ in server.arrivals { break }
        try await client.waitForCallers(3)
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value?.kind == .cancelled) }
        for await _ in hungUp.stream { break }
        #expect(try await client.send(endpoint) == "again")
    }

    @Test("The limit bounds the concurrent requests to one host")
    func perHost() async throws {
        let server = try ScriptedServer { exchange in
            exchange.waitForPeak(3)
            exchange.answer()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for page in 1...30 {
                group.addTask { _ = try await client.send(.text(HTTPRequest("\(server.url)/\(page)"))) }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 30)
        #expect(server.peak == 3)
    }

    @Test("A host at its limit does not delay another")
    func otherHost() async throws {
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: 1), retry: .patient)
        let gate = Monitor(false)
        let busy = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer("\(exchange.number)")
        }
        let free = try ScriptedServer { $0.answer("free") }
        let waiting = (1...3).map { page in
            Task { try await client.send(.text(HTTPRequest("\(busy.url)/\(page)"))) }
        }
        for await _ in busy.arrivals { break }
        #expect(try await client.send(.text(HTTPRequest(free.url))) == "free")
        gate.withLock { $0 = true }
        var values: Set<String> = []
        for task in waiting { values.insert(try await task.value) }
        #expect(values == ["1", "2", "3"] && busy.peak == 1)
    }

    @Test("A full queue rejects requests, except those that can start at once")
    func fullQueue() async throws {
        let client = HTTPClient(limits: HTTPClient.Limits(perHost: 1, total: 1, queueLength: 0), retry: .patient)
        let gate = Monitor(false)
        let server = try ScriptedServer { exchange in
            gate.wait { $0 }
            exchange.answer("there")
        }
        async let first = client.send(.text(HTTPRequest("\(server.url)/1")))
        for await _ in server.arrivals { break }
        let error = await failure { () async throws(UpstreamError) in
            try await client.send(.text(HTTPRequest("\(server.url)/2")))
        }
        #expect(error?.kind == .unavailable)
        gate.withLock { $0 = true }
        #expect(try await first == "there")
        #expect(server.requests.map(\.target) == ["/1"])
    }
}

extension HTTPClient {
    /// Returns when `count` callers wait for shared transfers.
    fileprivate func waitForCallers(_ count: Int) async throws {
        try await waitUntil("callers", look: { singleFlight.callerCount }, is: { $0 >= count })
    }
}
