import BoxOffice
import Events
import FoundationEssentials
import SQLite
import Testing

@testable import Worker

/// The worker's memory on a real database file.
@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    @Test("a request ends once, whatever is found later, and its events are published with its end, in order")
    func oneEnd() async throws {
        let desk = try await Desk()
        let accepted = try await desk.accept(Sample.chart, as: "a")
        try await desk.journal.settle(accepted, with: Sample.findings(10), askedAt: Desk.noon)
        try await desk.journal.settle(accepted, with: Sample.findings(11), askedAt: Desk.noon)
        try await desk.journal.settle(accepted, with: Failure(.internal, "too late"))
        #expect(desk.topics == ["request.accepted.a", "ranking.day.all.2024-06-04", "request.done.a"])
        let done = try #require(desk.events("request.done").first).data(as: RequestDone.self)
        #expect(done.from == .upstream)
        #expect(done.events.map(\.topic) == ["ranking.day.all.2024-06-04"])
        try await desk.expectPublishedInOrder()
    }

    @Test("a write that fails publishes nothing, and leaves the request waiting")
    func nothingBeforeItsCommit() async throws {
        let desk = try await Desk()
        let accepted = try await desk.accept(Sample.chart, as: "a")
        try await desk.database.setFull(true)
        var chart = Sample.chart(10)
        chart.entries = (1...200).map { line in
            var entry = chart.entries[0]
            entry.line = line
            entry.audience = line
            return entry
        }
        let findings = Findings(fetched: [.chart(chart)], source: .upstream)
        await #expect(throws: (any Error).self) {
            try await desk.journal.settle(accepted, with: findings, askedAt: Desk.noon)
        }
        #expect(desk.topics == ["request.accepted.a"])
        #expect(try await desk.journal.takeUp() == [accepted])
        try await desk.database.setFull(false)
        try await desk.journal.settle(accepted, with: findings, askedAt: Desk.noon)
        #expect(desk.topics.count == 3)
    }
}
