import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Operations
import TestSupport
import Testing

@testable import Worker

/// The scheduler on a real database, with a service that has yesterday's chart or not.
@Suite(.timeLimit(.minutes(5))) struct ScheduleServiceTests {
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

    private func scheduler(_ desk: Desk) -> ScheduleService {
        let metrics = WorkerMetrics(Metrics(), clock: ManualClock())
        let intake = RequestIntake(
            store: desk.store, queue: desk.queue, logger: desk.logger, metrics: metrics, clock: desk.clock)
        return ScheduleService(
            store: desk.store, intake: intake, hasPosters: false, metrics: metrics, logger: desk.logger,
            clock: desk.clock, sleeper: ManualClock(), wakeSignal: WakeSignal())
    }

    /// The ids that were accepted since the last time.
    private func accepted(_ desk: Desk, after count: Int) -> [String] {
        desk.events("request.accepted.schedule.").dropFirst(count).map {
            String($0.topic.description.dropFirst("request.accepted.schedule.".count))
        }
    }

    /// Looks at what is due at a time, and waits for the ends of the requests.
    private func look(_ desk: Desk, at time: Date) async throws -> [String] {
        desk.setClock(to: time)
        let before = desk.events("request.accepted.schedule.").count
        // As after a restart, at each look: nothing is known but what is on disk.
        _ = try await scheduler(desk).look()
        let ids = accepted(desk, after: before)
        if !ids.isEmpty { try await desk.ends(ids.count) }
        return ids
    }

    @Test("yesterday's chart is asked for until it is there, then at its looks, its film once, and nothing twice")
    func night() async throws {
        let desk = try await Desk()
        let midnight = Sample.date("2024-06-05").start
        try await desk.serve(desk.service(desk.fetcher(kobis: server.url))) {
            // The days before yesterday are made up for at once.
            let first = try await look(desk, at: midnight + 240)
            #expect(first.contains("day.2024-06-03.evening") && !first.contains { $0.hasPrefix("day.2024-06-04") })
            #expect(try await look(desk, at: midnight + 300) == ["day.2024-06-04.night"])
            #expect(try await look(desk, at: midnight + 359) == [])
            #expect(try await look(desk, at: midnight + 360) == ["day.2024-06-04.night.2"])
            hasChart.withLock { $0 = true }
            #expect(try await look(desk, at: midnight + 480) == ["day.2024-06-04.night.3"])
            #expect(try await look(desk, at: midnight + 481) == ["movie.20240001.2024-06-04"])
            #expect(try await look(desk, at: midnight + 3600) == [])
            let morning = try await look(desk, at: midnight + 9 * 3600)
            #expect(morning.contains("day.2024-06-04.morning"))
            #expect(try await look(desk, at: midnight + 9 * 3600 + 1) == [])
        }
        #expect(Set(desk.events("ranking.day.all.2024-06-04")).count == 1)
        #expect(try await desk.store.newestChart() == Sample.date("2024-06-04"))
    }

    @Test("a chart that is not there at nine is told to be late, once")
    func late() async throws {
        let desk = try await Desk()
        let nine = Sample.date("2024-06-05").start + 9 * 3600
        try await desk.serve(desk.service(desk.fetcher(kobis: server.url))) {
            _ = try await look(desk, at: nine)
            #expect(desk.events("anomaly").isEmpty)
            _ = try await look(desk, at: nine + 1)
            _ = try await look(desk, at: nine + 60)
            _ = try await look(desk, at: nine + 7200)
        }
        #expect(desk.events("anomaly").map(\.topic.description) == ["anomaly.late.2024-06-04"])
    }

    @Test("what comes next is told, soonest first, and begins with tonight")
    func appointments() async throws {
        let desk = try await Desk()
        desk.setClock(to: Sample.date("2024-06-05").start + 20 * 3600)
        let appointments = try await scheduler(desk).appointments(100)
        #expect(appointments.map(\.at) == appointments.map(\.at).sorted())
        #expect(appointments.contains { $0.what == "day.2024-06-05.night" && $0.at == "2024-06-05T15:05:00Z" })
    }
}
