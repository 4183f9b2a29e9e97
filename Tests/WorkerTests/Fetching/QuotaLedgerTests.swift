import BoxOffice
import Contract
import FoundationEssentials
import Networking
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Worker

@Suite(.patience) struct QuotaLedgerTests {
    private func ledger(_ harness: WorkerHarness, limit: Int, reserve: Int = 20) -> QuotaLedger {
        QuotaLedger(
            database: harness.database, wallClock: harness.wallClock, limits: ["kobis": limit], reserve: reserve)
    }

    @Test("concurrent callers book no more calls than the day allows")
    func concurrency() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 20)
        let booked = await withTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<50 { tasks.addTask { (try? await ledger.book("kobis", for: .live)) != nil } }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(booked == 20)
        let balance = try #require(await ledger.balances()["kobis"])
        #expect(
            balance
                == QuotaLedger.Balance(
                    day: Sample.date("2024-06-05"), limit: 20, used: 20, left: 0, leftForBackfill: 0, forBackfill: 16)
        )
    }

    @Test("each call is on disk before it is made, and a kill loses none")
    func killed() async throws {
        let harness = try await WorkerHarness()
        for used in 1...3 {
            try await ledger(harness, limit: 3_000).book("kobis", for: .live)
            #expect(try await ledger(harness, limit: 3_000).balances()["kobis"]?.used == used)
        }
    }

    @Test("the budget is new at midnight in Korea, and an old day's stays used after the clock was set back")
    func midnight() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 1)
        let midnight = Sample.date("2024-06-06").start
        harness.setClock(to: midnight - 0.25)
        try await ledger.book("kobis", for: .live)
        let error = try await #require(throws: UpstreamError.self) { try await ledger.book("kobis", for: .live) }
        #expect(error.kind == .quotaExhausted)
        #expect(error.retryAfter == .seconds(1))
        #expect(!error.isTransient)
        harness.setClock(to: midnight)
        try await ledger.book("kobis", for: .live)
        harness.setClock(to: midnight - 1)
        await #expect(throws: UpstreamError.self) { try await ledger.book("kobis", for: .live) }
    }

    @Test("a restart with a smaller budget leaves zero calls, not fewer; another service is not counted")
    func restart() async throws {
        let harness = try await WorkerHarness()
        for _ in 0..<5 { try await ledger(harness, limit: 10).book("kobis", for: .live) }
        let smaller = ledger(harness, limit: 3)
        await #expect(throws: UpstreamError.self) { try await smaller.book("kobis", for: .live) }
        try await smaller.book("poster", for: .live)
        #expect(try await smaller.balances().mapValues(\.left) == ["kobis": 0])
        #expect(try await smaller.balances().mapValues(\.used) == ["kobis": 5])
    }

    @Test("backfill leaves the reserve to live requests, and calls of both count for both")
    func reserve() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 11, reserve: 20)
        try await ledger.book("kobis", for: .live)
        var booked = 1
        while (try? await ledger.book("kobis", for: .backfill)) != nil { booked += 1 }
        #expect(booked == 8)
        let error = try await #require(throws: UpstreamError.self) { try await ledger.book("kobis", for: .backfill) }
        #expect(error.message == "today's 8 calls to kobis that backfill may make are used up")
        #expect(try await ledger.balances()["kobis"]?.leftForBackfill == 0)
        for _ in 0..<3 { try await ledger.book("kobis", for: .live) }
        await #expect(throws: UpstreamError.self) { try await ledger.book("kobis", for: .live) }
    }

    @Test("visitors of a board leave half of what backfill may use, however few calls a day has", arguments: 0...12)
    func visitors(limit: Int) async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: limit, reserve: 20)
        func book(_ share: QuotaShare) async -> Int {
            var booked = 0
            while (try? await ledger.book("kobis", for: share)) != nil { booked += 1 }
            return booked
        }
        let ofVisitors = await book(.visitors)
        #expect(2 * ofVisitors <= limit * 4 / 5)
        #expect(ofVisitors > 0 || limit < 3)
        let ofBackfill = await book(.backfill)
        #expect(ofBackfill >= ofVisitors)
        #expect(await book(.live) == limit - ofVisitors - ofBackfill)
        await #expect(throws: UpstreamError.self) { try await ledger.book("kobis", for: .visitors) }
    }

    @Test("what a request may use follows from its priority and from the id that a board gave it")
    func shares() throws {
        func share(_ id: String, _ priority: Request.Priority = .live) throws -> QuotaShare {
            let request = Request(.day(Sample.day, .all), priority: priority)
            return AcceptedRequest(id: try #require(RequestID(id)), request: request).quotaShare
        }
        #expect(try share("board-1") == .live)
        #expect(try share("board-visitor-1") == .visitors)
        #expect(try share("board-visitor-1", .backfill) == .backfill)
    }

    @Test(
        "a service that reports a used-up quota is not called until midnight in Korea, even after a restart")
    func closing() async throws {
        let harness = try await WorkerHarness()
        try await ledger(harness, limit: 10).recordExhaustion(
            UpstreamError(service: "kobis", kind: .quotaExhausted, message: "no more", status: 200, code: "320011"))
        for share in QuotaShare.allCases {
            let error = try await #require(throws: UpstreamError.self) {
                try await ledger(harness, limit: 10).book("kobis", for: share)
            }
            #expect(error.kind == .quotaExhausted && error.retryAfter == .seconds(12 * 3600))
        }
        let balance = try #require(await ledger(harness, limit: 10).balances()["kobis"])
        #expect(balance.used == 0 && balance.left == 0 && balance.leftForBackfill == 0)
        harness.setClock(to: Sample.date("2024-06-06").start)
        try await ledger(harness, limit: 10).book("kobis", for: .live)
    }

    @Test(
        "a service that gives a time is called again at that time; the ledger's own rejections and other errors block nothing"
    )
    func toldTime() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 10)
        try await ledger.recordExhaustion(UpstreamError(service: "kobis", kind: .quotaExhausted, message: "ours"))
        try await ledger.recordExhaustion(
            UpstreamError(service: "kobis", kind: .unavailable, message: "down", status: 503))
        try await ledger.book("kobis", for: .live)
        try await ledger.recordExhaustion(
            UpstreamError(
                service: "kobis", kind: .quotaExhausted, message: "slow down", status: 429, retryAfter: .seconds(60)))
        harness.setClock(to: WorkerHarness.noon + 59)
        await #expect(throws: UpstreamError.self) { try await ledger.book("kobis", for: .live) }
        harness.setClock(to: WorkerHarness.noon + 60)
        try await ledger.book("kobis", for: .live)
    }

    @Test("each retry is booked, and the budget's end ends them")
    func retries() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 3)
        let server = try ScriptedServer { $0.answer(status: 503) }
        let policy = RetryPolicy(attempts: 10, base: .zero, attemptTimeout: .seconds(3_600))
        let client = HTTPClient(retry: policy) { service throws(UpstreamError) in
            try await ledger.book(service, for: .live)
            return nil
        }
        let endpoint = APICall<Bool>(service: "kobis", request: HTTPRequest(server.url)) {
            response throws(UpstreamError) in
            if let failure = response.failure(of: "kobis") { throw failure }
            return true
        }
        let error = try await #require(throws: UpstreamError.self) { try await client.send(endpoint) }
        #expect(error.kind == .quotaExhausted)
        #expect(error.message.hasPrefix("today's 3 calls to kobis are used up, after 3 failed attempts ("))
        #expect(server.requests.count == 3)
        await client.shutdown()
    }

    @Test("a service that cannot be reached uses up no call of the day")
    func outage() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 3)
        let clients = HTTPClients(
            try Configuration(environment: [:]), quota: ledger, metrics: WorkerMetrics(Metrics(), clock: ManualClock()),
            key: KobisKeyHealth(nil))
        let request = HTTPRequest("http://127.0.0.1:\(try reservePort())")
        for client in [clients.live, clients.backfill, clients.visitors] {
            let error = try await #require(throws: UpstreamError.self) {
                try await client.send(APICall<Bool>(service: "kobis", request: request) { _ in true })
            }
            #expect(error.kind == .unavailable)
        }
        #expect(try await ledger.balances()["kobis"]?.used == 0)
        await clients.shutdown()
    }

    @Test("a call is taken back on the day that it was booked on")
    func takenBack() async throws {
        let harness = try await WorkerHarness()
        let ledger = ledger(harness, limit: 2)
        let midnight = Sample.date("2024-06-06").start
        harness.setClock(to: midnight - 1)
        let day = try #require(try await ledger.book("kobis", for: .live))
        harness.setClock(to: midnight)
        try await ledger.book("kobis", for: .live)
        await ledger.release("kobis", on: day)
        #expect(try await ledger.balances()["kobis"]?.used == 1)
        harness.setClock(to: midnight - 1)
        #expect(try await ledger.balances()["kobis"]?.used == 0)
    }

    @Test("a call that cannot be booked is not made")
    func unbooked() async throws {
        let harness = try await WorkerHarness()
        await harness.database.close()
        let error = try await #require(throws: UpstreamError.self) {
            try await ledger(harness, limit: 3).book("kobis", for: .live)
        }
        #expect(error.kind == .internal)
        #expect(!error.isTransient)
        #expect(try ContractError(error, at: WorkerHarness.noon).code == .internal)
    }
}
