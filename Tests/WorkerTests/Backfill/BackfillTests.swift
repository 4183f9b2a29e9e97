import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Networking
import Sandbox
import ServiceRuntime
import Storage
import TestSupport
import Testing
import Upstreams

@testable import Worker

/// Backfill jobs on a real database, against the sandbox, whose quota is as real as ours.
@Suite(.patience) struct BackfillTests {
    private let harness: WorkerHarness
    private let sandbox: SandboxServer
    /// What a day has for everybody.
    private static let limit = 50

    init() async throws {
        let harness = try await WorkerHarness()
        var options = SandboxOptions()
        options.address = "127.0.0.1:0"
        try options.faults.set("kobis.quota=\(Self.limit)")
        self.harness = harness
        sandbox = try SandboxServer(options: options) { harness.wallClock.now() }
    }

    private var quota: QuotaLedger { quota() }

    private func quota(kakao: Int? = nil) -> QuotaLedger {
        var limits = [Kobis.service: Self.limit]
        limits[KakaoImageSearch.service] = kakao
        return QuotaLedger(database: harness.database, wallClock: harness.wallClock, limits: limits, reserve: 20)
    }

    private func backfill(kakao: Int? = nil) -> BackfillService {
        BackfillService(
            store: harness.store, intake: harness.intake(), quota: quota(kakao: kakao), hasPosters: kakao != nil,
            runtime: harness.runtime, wakeSignal: WakeSignal())
    }

    /// Fetches with the budget that the request has.
    private func fetching(kakao: Int? = nil) -> FetchService {
        let quota = quota(kakao: kakao)
        func fetcher(_ share: QuotaShare) -> Fetcher {
            let client = HTTPClient(retry: .patient) { service throws(UpstreamError) in
                try await quota.book(service, for: share)
                return nil
            }
            return harness.fetcher(
                kobis: sandbox.kobisURL, kakao: kakao.map { _ in sandbox.kakaoURL }, client: client, quota: quota)
        }
        let (live, patient) = (fetcher(.live), fetcher(.backfill))
        return FetchService(
            queue: harness.queue, fetcher: { $0 == .live ? live : patient }, store: harness.store,
            metrics: harness.metrics, runtime: harness.runtime)
    }

    private func begin(_ first: String, _ last: String, weeks: Bool = false, movies: Bool = false) async throws -> Int {
        try await harness.store.write { transaction in
            try BackfillStore(transaction).begin(
                Sample.date(first)...Sample.date(last), weeks: weeks, movies: movies)
        }
    }

    /// Lets a backfill, made anew for each turn as after a restart, go on until it rests or is over.
    private func work() async throws {
        try await waitUntil("the backfill rests or is over") {
            let before = harness.events("request.accepted.").count
            _ = try await backfill().runOnce()
            let asked = harness.events("request.accepted.").count - before
            if asked > 0 {
                try await harness.ends(asked)
                return false
            }
            if try #require(await backfill().progress()).isOver { return true }
            return try await quota.balances()[Kobis.service]?.leftForBackfill == 0
        }
    }

    @Test(
        "over five quota days, no day exceeds its quota, live requests are served, and nothing is fetched twice"
    )
    func fiveDays() async throws {
        _ = try await begin("2023-11-17", "2024-05-31")  // 197 days at 40 a day
        let fetching = fetching()
        try await harness.serve(fetching) {
            for day in 0..<5 {
                harness.setClock(to: (Sample.date("2024-06-05") + day).start + 60)
                try await work()
                let used = try #require(await quota.balances()[Kobis.service]?.used)
                #expect(used == (day < 4 ? 40 : 37))
                // The rest of the day is there for people.
                for number in 1...10 where day < 4 {
                    let request = Request(.day(Sample.date("2010-01-01") + (10 * day + number), .all))
                    try await harness.accept(request, as: "live-\(day)-\(number)")
                    try await harness.ends(1)
                }
            }
        }
        let progress = try #require(await backfill().progress())
        #expect(progress.isOver && progress.done == 197 && progress.failed == 0)
        #expect(harness.events("request.failed").isEmpty)
        #expect(Set(harness.events("ranking.")).count == 237)
        let asked = try #require(harness.events("request.accepted.backfill.").first)
        #expect(asked.topic.description == "request.accepted.backfill.1.day.2024-05-31")
        #expect(
            try harness.events("ranking.").allSatisfy {
                try $0.priority == .backfill || $0.topic.description.contains("2010-")
            })
    }

    @Test("settled charts are not requested, weeks come after their last day, and movies at the end")
    func items() async throws {
        let fetching = fetching()
        harness.setClock(to: Sample.date("2024-06-12").start)
        try await harness.serve(fetching) {
            let known = try await harness.accept(Request(.day(Sample.date("2024-06-02"), .all)), as: "a")
            harness.queue.add([known])
            try await harness.ends(1)
            let number = try await begin("2024-06-01", "2024-06-03", weeks: true, movies: true)
            #expect(try await begin("2024-06-01", "2024-06-03", weeks: true, movies: true) == number)
            try await work()
        }
        let asked = harness.events("request.accepted.backfill.1.").map {
            String($0.topic.description.dropFirst("request.accepted.backfill.1.".count))
        }
        #expect(
            Array(asked.prefix(5)) == [
                "day.2024-06-03", "week.2024-05-27", "weekend.2024-05-31", "day.2024-06-01", asked[4],
            ])
        #expect(asked.count > 14 && asked.dropFirst(4).allSatisfy { $0.hasPrefix("movie.") })
        #expect(try #require(await backfill().progress()).isOver)
    }

    @Test("movies are fetched with their posters, over as many days as Kakao's quota requires")
    func posters() async throws {
        harness.setClock(to: Sample.date("2024-06-12").start)
        let number = try await begin("2024-06-01", "2024-06-02", movies: true)
        let fetching = fetching(kakao: 5)  // 4 of them for backfill
        var days = 0
        try await harness.serve(fetching) {
            try await waitUntil("the backfill is over") {
                let service = backfill(kakao: 5)
                let before = harness.events("request.accepted.").count
                _ = try await service.runOnce()
                let asked = harness.events("request.accepted.").count - before
                if asked > 0 { try await harness.ends(asked) }
                guard asked == 0, let progress = try await service.progress() else { return false }
                if !progress.isOver, progress.rests == .quotaExhausted {
                    #expect(try await quota(kakao: 5).balances()[KakaoImageSearch.service]?.used == 4)
                    days += 1
                    harness.setClock(to: (Sample.date("2024-06-12") + days).start)
                }
                return progress.isOver
            }
        }
        let movies = Set(harness.events("movie.").map { String($0.topic.description.dropFirst("movie.".count)) })
        let posters = Set(harness.events("poster.").map { String($0.topic.description.dropFirst("poster.".count)) })
        #expect(movies.count >= 10 && posters == movies)
        #expect(days == (movies.count - 1) / 4)
        let progress = try #require(await backfill(kakao: 5).progress())
        #expect(progress.number == number && progress.failed == 0 && progress.done == movies.count + 2)
        // Facts that are known are not bought again: two charts, and each movie once.
        #expect(harness.events("request.failed").isEmpty)
    }

    @Test("a new log begins with the days before the live ones, by backfill requests, once")
    func newLog() async throws {
        try await backfill().beginInitialJob(days: 12, liveDays: 3)
        #expect(try await backfill().isInitialJobRunning())
        try await harness.serve(fetching()) { try await work() }
        let progress = try #require(await backfill().progress())
        #expect(progress.isInitial && progress.isOver && progress.done == 10)
        #expect(try await !backfill().isInitialJobRunning())
        let charts = harness.events("ranking.")
        // Several are fetched at once, so that their order may change.
        let days = (0..<10).map { "ranking.day.all.\(Sample.date("2024-05-23") + $0)" }
        #expect(charts.map(\.topic.description).sorted() == days)
        #expect(try charts.allSatisfy { try $0.priority == .backfill })
        // As after a restart on a later day.
        harness.setClock(to: WorkerHarness.noon + 86_400)
        try await backfill().beginInitialJob(days: 12, liveDays: 3)
        #expect(try await backfill().progress()?.number == progress.number)
        #expect(harness.log.count(of: "the log is new") == 1)
    }

    @Test("a log with charts is not new, and neither is one that was told to have no history")
    func notNew() async throws {
        try await backfill().beginInitialJob(days: 0, liveDays: 3)
        try await harness.serve(fetching()) {
            harness.queue.add([try await harness.accept(Request(.day(Sample.date("2024-06-04"), .all)), as: "a")])
            try await harness.ends(1)
        }
        try await backfill().beginInitialJob(days: 12, liveDays: 3)
        #expect(try await backfill().progress() == nil)
    }

    @Test("the history of a new log stays within its part of the quota, and while it pauses nobody waits for it")
    func historyWithinQuota() async throws {
        try await backfill().beginInitialJob(days: 60, liveDays: 3)
        let service = backfill()
        try await harness.serve(fetching()) {
            try await waitUntil("the history pauses") {
                let before = harness.events("request.accepted.").count
                _ = try await service.runOnce()
                let asked = harness.events("request.accepted.").count - before
                if asked > 0 { try await harness.ends(asked) }
                return try await !service.isInitialJobRunning()
            }
        }
        let progress = try #require(await service.progress())
        #expect(!progress.isOver && progress.rests == .quotaExhausted && progress.done == 40)
    }

    @Test("while an address or a key is wrong, one request at a time is sent, and none is given up")
    func wrongConfiguration() async throws {
        let number = try await begin("2024-05-01", "2024-05-03")
        let service = backfill()
        _ = try await service.runOnce()
        let failures = [
            ContractError(.upstreamInvalid, "moved", field: "MARQUEE_KOBIS_URL"), ContractError(.unauthorized, "no"),
            ContractError(.upstreamInvalid, "moved", field: "MARQUEE_KOBIS_URL"),
        ]
        for (day, failure) in zip(["03", "02", "01"], failures) {
            let request = Request(.day(Sample.date("2024-05-\(day)"), .all), priority: .backfill)
            let id = Sample.id("backfill.\(number).day.2024-05-\(day)")
            try await harness.settle(AcceptedRequest(id: id, request: request), with: failure)
        }
        _ = try await service.runOnce()
        #expect(try #require(await service.progress()).failed == 0)
        harness.setClock(to: WorkerHarness.noon + 601)
        let before = harness.events("request.accepted.").count
        for _ in 1...2 { _ = try await service.runOnce() }
        #expect(harness.events("request.accepted.").count == before + 1)
    }

    @Test("a failed request is repeated, an unpublished chart is not requested again, and a stop ends the job")
    func failures() async throws {
        let number = try await begin("2024-05-01", "2024-05-03")
        _ = try await backfill().runOnce()
        let codes: [ContractError.Code] = [.upstreamUnavailable, .notPublished, .quotaExhausted]
        for (day, code) in zip(["03", "02", "01"], codes) {
            let request = Request(.day(Sample.date("2024-05-\(day)"), .all), priority: .backfill)
            let id = Sample.id("backfill.\(number).day.2024-05-\(day)")
            try await harness.settle(AcceptedRequest(id: id, request: request), with: ContractError(code, "no"))
        }
        let service = backfill()
        _ = try await service.runOnce()
        let progress = try #require(await service.progress())
        #expect(progress.failed == 1 && progress.done == 0 && progress.rests == .upstreamUnavailable)
        harness.setClock(to: WorkerHarness.noon + 10)
        _ = try await service.runOnce()
        #expect(
            harness.events("request.accepted.").suffix(2).map(\.topic.description) == [
                "request.accepted.backfill.1.day.2024-05-03.2", "request.accepted.backfill.1.day.2024-05-01.2",
            ])
        try await harness.store.write { try BackfillStore($0).stop() }
        #expect(try #require(await service.progress()).isOver)
    }
}
