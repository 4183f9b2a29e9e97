import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Storage
import TestSupport
import Testing

@testable import Worker

/// When a fetched fact is news, and what of it is kept.
@Suite(.patience) struct RevisionTests {
    private let topic = Topic.ranking(day: Sample.day, market: .all)

    /// Settles one request after the other and returns the charts that were published.
    private func charts(
        _ result: [(result: FetchResult, askedAt: TimeInterval, settledAt: TimeInterval)]
    ) async throws -> [Chart] {
        let harness = try await WorkerHarness()
        for (index, step) in result.enumerated() {
            let accepted = try await harness.accept(Sample.newChart, as: "r\(index)")
            harness.setClock(to: WorkerHarness.noon + step.settledAt)
            try await harness.settle(accepted, with: step.result, askedAt: WorkerHarness.noon + step.askedAt)
        }
        #expect(harness.events("request.done").count == result.count)
        let logged = try await harness.database.read { connection in
            try harness.store.log.events(of: .ranking, after: .zero, limit: 500, in: connection).events
        }
        return try logged.map { try $0.data() }
    }

    @Test("equal figures publish no second event; different ones publish the next revision with its corrections")
    func corrections() async throws {
        let charts = try await charts([
            (Sample.result(10), 0, 0), (Sample.result(10), 1, 1), (Sample.result(12), 2, 2),
        ])
        #expect(charts.map(\.revision) == [1, 2])
        #expect(charts[0].corrections == nil)
        #expect(
            charts[1].corrections == [
                Correction(
                    movieCode: Sample.code("20240001"),
                    change: .field(.audience, before: .integer(10), after: .integer(12)))
            ])
    }

    @Test("figures that only settle are a revision without corrections")
    func settling() async throws {
        let charts = try await charts([(Sample.result(10), 0, 0), (Sample.result(10, .settled), 1, 1)])
        #expect(charts.map(\.state) == [.provisional, .settled])
        #expect(charts[1].revision == 2)
        #expect(charts[1].corrections == [])
    }

    @Test(
        "an answer that was requested before the log's event is older, even by milliseconds",
        arguments: [0.002, 0.5, 30])
    func late(_ lead: TimeInterval) async throws {
        let charts = try await charts([
            (Sample.result(12), 0.25 + lead, 60), (Sample.result(10), 0.25, 61), (Sample.result(13), 62, 62),
        ])
        #expect(charts.map(\.entries[0].audience) == [12, 13])
    }

    @Test("an upstream's answer is accepted after the clock was set back")
    func setBack() async throws {
        let charts = try await charts([
            (Sample.result(10), 86_400, 86_400), (Sample.result(11), 0, 1), (Sample.result(10), 2, 2),
        ])
        #expect(charts.map(\.entries[0].audience) == [10, 11, 10])
        #expect(charts.map(\.revision) == [1, 2, 3])
    }
}
