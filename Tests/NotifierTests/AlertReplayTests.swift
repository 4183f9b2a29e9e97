import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Storage
import TestSupport
import Testing

@testable import Notifier

@Suite(.patience) struct AlertReplayTests {
    @Test("an event that cannot be read is named and fires nothing, and the others fire")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let schema = Schema("test", version: 1, EventLog.tables)
        let database = try Database(path: folder.file("worker.db"), schema: schema)
        func draft(_ day: Int, _ leader: String) throws -> EventDraft {
            let chart = try SourcedChart.june(day, [.movie(leader, line: 1)]).chart
            return EventDraft(.ranking(day: chart.date, market: .all), data: chart.json)
        }
        let first = try draft(1, "A").topic
        guard case .ranking(let day, _) = first else { return }
        let broken: [Topic] = [
            .ranking(day: day + 2, market: .all), .anomaly(.late, day), .products(page: 1, perPage: 10),
        ]
        let drafts = try [draft(1, "A")] + broken.map { EventDraft($0, data: Array("{}".utf8)) } + [draft(2, "B")]
        try await database.write { connection in
            _ = try EventLog(source: "/marquee/worker", in: connection).append(drafts, at: .now, in: connection)
        }
        await database.close()
        let log = LogDatabase(.file(folder.file("worker.db")), owner: "worker", schema: schema)
        let rules = try RuleFile.read(Array("rules: {lead: , anomaly: , priceFell: }".utf8), file: "").rules
        let unreadable = Monitor<[Topic]>([])
        let replay = AlertReplay(rules: rules, since: day, baseline: BaselinePosition.none) { event, _ in
            unreadable.withLock { $0.append(event.topic) }
        }
        var fired: [String] = []
        try replay.run(log) { fired.append($0.title ?? "") }
        #expect(fired == ["B"])
        #expect(unreadable.withLock(\.self) == broken)
        fired = []
        try replay.dryRun(log) { fired.append($0.title ?? "") }
        #expect(fired == ["B"])
    }
}
