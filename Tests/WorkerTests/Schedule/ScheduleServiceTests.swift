import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import ServiceRuntime
import TestSupport
import Testing

@testable import Worker

/// The scheduler on a real database, with a service that has yesterday's chart or not.
@Suite(.patience) struct ScheduleServiceTests {
    private let server: ScriptedServer
    private let hasChart = Locked(false)

    init() throws {
        server = try ScriptedServer { [hasChart] exchange in
            let chart = hasChart.withLock { $0 }
            exchange.answer(
                chart ? Sample.answer(7) : #"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"#,
                headers: ["Content-Type: application/json"])
        }
    }

    private func scheduler(_ harness: WorkerHarness) -> ScheduleService {
        ScheduleService(
            store: harness.store, intake: harness.intake(), hasPosters: false, metrics: harness.metrics,
            runtime: harness.runtime, wakeSignal: WakeSignal())
    }

    /// The ids that were accepted since the last time.
    private func accepted(_ harness: WorkerHarness, after count: Int) -> [String] {
        harness.events("request.accepted.schedule.").dropFirst(count).map {
            String($0.topic.description.dropFirst("request.accepted.schedule.".count))
        }
    }

    /// Makes the requests that are due at a time, and waits for their ends.
    private func requestDue(_ harness: WorkerHarness, at time: Date) async throws -> [String] {
        harness.setClock(to: time)
        let before = harness.events("request.accepted.schedule.").count
        // A new service each time, as after a restart: only the state on disk is known.
        _ = try await scheduler(harness).requestDue()
        let ids = accepted(harness, after: before)
        if !ids.isEmpty { try await harness.ends(ids.count) }
        return ids
    }

    @Test("yesterday's chart is requested until it is published, then at its checks, its movie once, nothing twice")
    func night() async throws {
        let harness = try await WorkerHarness()
        let midnight = Sample.date("2024-06-05").start
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url))) {
            // The days before yesterday are made up for at once.
            let first = try await requestDue(harness, at: midnight + 240)
            #expect(first.contains("day.2024-06-03.evening") && !first.contains { $0.hasPrefix("day.2024-06-04") })
            #expect(try await requestDue(harness, at: midnight + 300) == ["day.2024-06-04.night"])
            #expect(try await requestDue(harness, at: midnight + 359) == [])
            #expect(try await requestDue(harness, at: midnight + 360) == ["day.2024-06-04.night.2"])
            hasChart.withLock { $0 = true }
            #expect(try await requestDue(harness, at: midnight + 480) == ["day.2024-06-04.night.3"])
            #expect(try await requestDue(harness, at: midnight + 481) == ["movie.20240001.2024-06-04"])
            #expect(try await requestDue(harness, at: midnight + 3600) == [])
            let morning = try await requestDue(harness, at: midnight + 9 * 3600)
            #expect(morning.contains("day.2024-06-04.morning"))
            #expect(try await requestDue(harness, at: midnight + 9 * 3600 + 1) == [])
        }
        #expect(Set(harness.events("ranking.day.all.2024-06-04")).count == 1)
        #expect(try await harness.store.read { try Freshness($0).newestChart() } == Sample.date("2024-06-04"))
    }

    @Test("a chart that is missing at nine is reported late, once")
    func late() async throws {
        let harness = try await WorkerHarness()
        let nine = Sample.date("2024-06-05").start + 9 * 3600
        try await harness.serve(harness.service(harness.fetcher(kobis: server.url))) {
            _ = try await requestDue(harness, at: nine)
            #expect(harness.events("anomaly").isEmpty)
            _ = try await requestDue(harness, at: nine + 1)
            _ = try await requestDue(harness, at: nine + 60)
            _ = try await requestDue(harness, at: nine + 7200)
        }
        #expect(harness.events("anomaly").map(\.topic.description) == ["anomaly.late.2024-06-04"])
    }

    @Test("nothing is requested while the history of a new log is fetched, which its alerts rest on")
    func waiting() async throws {
        let harness = try await WorkerHarness()
        var service = scheduler(harness)
        service.isWaiting = { true }
        #expect(try await service.requestDue() == 1)
        #expect(accepted(harness, after: 0).isEmpty)
        service.isWaiting = { false }
        _ = try await service.requestDue()
        #expect(accepted(harness, after: 0).contains("day.2024-06-04.morning"))
    }

    @Test("the next runs are listed soonest first, and begin with tonight")
    func nextRuns() async throws {
        let harness = try await WorkerHarness()
        harness.setClock(to: Sample.date("2024-06-05").start + 20 * 3600)
        let runs = try await scheduler(harness).nextRuns(100)
        #expect(runs.map(\.at) == runs.map(\.at).sorted())
        #expect(runs.contains { $0.what == "day.2024-06-05.night" && $0.at == "2024-06-05T15:05:00Z" })
    }
}
