import BoxOffice
import FoundationEssentials
import Networking
import SQLite
import TestSupport
import Testing

@testable import Worker

@Suite(.timeLimit(.minutes(5))) struct QuotaLedgerTests {
    private func ledger(_ desk: Desk, limit: Int) -> QuotaLedger {
        QuotaLedger(database: desk.database, clock: desk.clock, limits: ["kobis": limit])
    }

    @Test("however many ask at once, no more calls are booked than the day has")
    func concurrency() async throws {
        let desk = try await Desk()
        let ledger = ledger(desk, limit: 20)
        let booked = await withTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<50 { tasks.addTask { (try? await ledger.book("kobis")) != nil } }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(booked == 20)
        let balance = try #require(await ledger.balances()["kobis"])
        #expect(balance == QuotaLedger.Balance(day: Sample.date("2024-06-05"), limit: 20, used: 20, left: 0))
    }

    @Test("the budget is new at midnight in Korea, and an old day's stays used after the clock was set back")
    func midnight() async throws {
        let desk = try await Desk()
        let ledger = ledger(desk, limit: 1)
        let midnight = Sample.date("2024-06-06").start
        desk.setClock(to: midnight - 0.25)
        try await ledger.book("kobis")
        let error = try await #require(throws: UpstreamError.self) { try await ledger.book("kobis") }
        #expect(error.kind == .quotaExhausted)
        #expect(error.retryAfter == .seconds(1))
        #expect(!error.isTransient)
        desk.setClock(to: midnight)
        try await ledger.book("kobis")
        desk.setClock(to: midnight - 1)
        await #expect(throws: UpstreamError.self) { try await ledger.book("kobis") }
    }

    @Test("a restart with a smaller budget leaves nothing, not less than nothing; another service is not counted")
    func restart() async throws {
        let desk = try await Desk()
        for _ in 0..<5 { try await ledger(desk, limit: 10).book("kobis") }
        let smaller = ledger(desk, limit: 3)
        await #expect(throws: UpstreamError.self) { try await smaller.book("kobis") }
        try await smaller.book("poster")
        #expect(try await smaller.balances().mapValues(\.left) == ["kobis": 0])
        #expect(try await smaller.balances().mapValues(\.used) == ["kobis": 5])
    }

    @Test("each retry is booked, and the budget's end ends them")
    func retries() async throws {
        let desk = try await Desk()
        let ledger = ledger(desk, limit: 3)
        let server = try ScriptedServer { $0.answer(status: 503) }
        let policy = RetryPolicy(attempts: 10, base: .zero)
        let client = HTTPClient(retry: policy) { service throws(UpstreamError) in try await ledger.book(service) }
        let endpoint = Endpoint<Bool>(service: "kobis", request: HTTPRequest(server.url)) {
            response throws(UpstreamError) in
            if let failure = response.failure(of: "kobis") { throw failure }
            return true
        }
        let error = try await #require(throws: UpstreamError.self) { try await client.send(endpoint) }
        #expect(error.kind == .quotaExhausted)
        #expect(server.requests.count == 3)
        await client.shutdown()
    }

    @Test("a call that cannot be booked is not made")
    func unbooked() async throws {
        let desk = try await Desk()
        await desk.database.close()
        let error = try await #require(throws: UpstreamError.self) { try await ledger(desk, limit: 3).book("kobis") }
        #expect(error.kind == .unavailable)
        #expect(!error.isTransient)
    }
}
