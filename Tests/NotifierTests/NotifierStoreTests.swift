import BoxOffice
import Contract
import EventStore
import Foundation
import JSONCoding
import Messaging
import Storage
import TestSupport
import Testing

@testable import Notifier

/// What the notifier remembers, across restarts.
@Suite(.patience) struct NotifierStoreTests {
    private let folder: TemporaryFolder
    private let began = Date(timeIntervalSince1970: 1_795_242_180)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func withStore<Value>(_ body: (NotifierStore) async throws -> Value) async throws -> Value {
        try await withNotifierStore(in: folder, at: began, body)
    }

    /// The charts of many days, with films that come and go, and corrections of some.
    private func events(in market: Market = .all) throws -> [Event] {
        let first = try #require(KoreanDate(year: 2024, month: 6, day: 1))
        var events: [Event] = []
        for day in 0..<90 {
            for revision in 0..<(day % 7 == 0 ? 2 : 1) {
                let entries = try (0..<5).map { line in
                    let letter = "ABCDEFGHIJ".dropFirst((day / 9 + line * (1 + day % 2) + revision) % 10).prefix(1)
                    var movie = try ChartEntry.movie(String(letter), line: line + 1, change: (day + line) % 9 - 4)
                    movie.audience = 1_000 * ((day * 7 + line * 3 + revision) % 23)
                    movie.audienceTotal = 100_000 * day + 10_000 * line
                    return movie
                }
                let chart = Chart(date: first + day, market: market, state: .provisional, entries: entries)
                let draft = EventDraft(.ranking(day: chart.date, market: market), data: chart.json)
                let number = String(events.count + 1)
                let sequence = String(repeating: "0", count: 16 - number.count) + number
                let body = """
                    {"specversion":"1.0","id":"\(number)","source":"/marquee/worker","type":"marquee.ranking.day.v1",\
                    "subject":"\(market)/\(chart.date)","time":"2026-12-21T06:23:00.123Z","datacontenttype":"application/json",\
                    "stream":"ranking","epoch":"e","sequence":"\(sequence)","previous":"0000000000000000","data":\
                    \(String(decoding: draft.data, as: UTF8.self))}
                    """
                events.append(try Event(topic: draft.topic, body: Array(body.utf8)))
            }
        }
        return events
    }

    /// Takes events in batches, each by a notifier of its own, and returns the alerts in the log.
    private func alerts(of events: [Event], batch: Int, rules: AlertRules) async throws -> [String] {
        var rest = events[...]
        while !rest.isEmpty {
            let batch = rest.prefix(batch)
            rest = rest.dropFirst(batch.count)
            try await withStore { store in
                var alertState = try await store.loadAlertState(rules: rules, since: nil)
                var decisions: [Decision] = []
                for event in batch {
                    decisions += try alertState.applyChart(of: event.data(as: Chart.self).date, .all, from: event)
                    alertState.position = LogCursor(
                        epoch: "e", streams: [.ranking: StreamCursor(after: event.sequence)])
                }
                _ = try await store.record(decisions, changes: alertState.drainChanges())
            }
        }
        return try await withStore { store in
            try await store.database.read { connection in
                try store.log.events(of: .alert, after: .zero, limit: 5_000, in: connection).events.map {
                    try Event(topic: $0.topic, body: $0.body).id
                        + String(decoding: try $0.data(as: Alert.self).json, as: UTF8.self)
                }
            }
        }
    }

    @Test(
        "a notifier that restarts repeatedly makes the same decisions as one that keeps running, also on corrections",
        .ownThread)
    func restarts() async throws {
        let rules: [any MovieRule] = [
            EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule(), ReenteredRule(after: 3),
            StreakRule(days: [2, 5]),
            MilestoneRule(totals: [1_000_000, 5_000_000]), BestRule(after: 3), CorrectionRule(),
        ]
        let all = AlertRules(rules.map { ConfiguredRule($0) })
        let events = try events()
        let once = try await NotifierStoreTests().alerts(of: events, batch: events.count, rules: all)
        #expect(once.contains { $0.contains(".retracted") })
        #expect(Set(once.map { $0.prefix { $0 != "." } }).count > 6)
        #expect(try await NotifierStoreTests().alerts(of: events, batch: 4, rules: all) == once)
        #expect(try await alerts(of: events, batch: 13, rules: all) == once)
    }

    @Test("recent charts are stored byte for byte as in the log and decoded when a rule needs them")
    func openCharts() async throws {
        let events = try Array(events().suffix(3))
        try await withStore { store in
            var alertState = try await store.loadAlertState(rules: AlertRules(), since: nil)
            for event in events {
                guard case .ranking(let day, let market) = event.topic else { continue }
                _ = try alertState.applyChart(of: day, market, from: event)
            }
            _ = try await store.record(changes: alertState.drainChanges())
            let kept = try await store.database.read { connection in
                try connection.query("select chart from open_chart order by date", as: [UInt8].self)
            }
            #expect(kept == events.compactMap(\.dataJSON))
            let marketState = try await store.loadAlertState(rules: AlertRules(), since: nil).markets[.all]
            for event in events {
                let chart = try event.data(as: Chart.self)
                #expect(marketState?.chart(of: chart.date)?.chart == chart)
            }
        }
    }

    @Test("rules for another market make the notifier read the log again, and what it read before is baseline")
    func market() async throws {
        let events = try events()
        _ = try await alerts(of: events, batch: 50, rules: AlertRules())
        var rule = ConfiguredRule(EnteredRule())
        rule.scope.markets = [Market(nation: .korean)]
        let rules = AlertRules([rule])
        try await withStore { store in
            let alertState = try await store.loadAlertState(rules: rules, since: nil)
            #expect(alertState.position == nil)
            #expect(alertState.baseline.ends[.ranking] == events.last?.sequence)
        }
    }

    @Test("a market without rules is deleted but keeps its alerts; new rules for it read the log again")
    func forgottenMarket() async throws {
        let korean = Market(nation: .korean)
        var rule = ConfiguredRule(LeadRule())
        rule.scope.markets = [korean]
        let rules = AlertRules([rule])
        let events = try Array(events(in: korean).prefix(30))
        let days = Set(events.map(\.topic)).count
        func read(_ alertState: inout AlertState) throws -> [Decision] {
            try events.flatMap { event -> [Decision] in
                guard case .ranking(let day, let market) = event.topic else { return [] }
                alertState.position = LogCursor(epoch: "e", streams: [.ranking: StreamCursor(after: event.sequence)])
                return try alertState.applyChart(of: day, market, from: event)
            }
        }
        func rows(_ store: NotifierStore) async throws -> [Int] {
            try await store.database.read { connection in
                try connection.query(
                    """
                    select (select count(*) from market where market = ?1), (select count(*) from open_chart where market = ?1),
                        (select count(*) from movie where market = ?1), (select count(*) from decision where market = ?1)
                    """, korean.description, as: Int.self, Int.self, Int.self, Int.self
                ).flatMap { [$0.0, $0.1, $0.2, $0.3] }
            }
        }
        let decided = try await withStore { store in
            var alertState = try await store.loadAlertState(rules: rules, since: nil)
            let decisions = try read(&alertState)
            _ = try await store.record(decisions, changes: alertState.drainChanges())
            return Set(decisions.map(\.alert.id)).count
        }
        try await withStore { store in
            #expect(try await rows(store)[..<2] == [1, days] && decided > 3)
            _ = try await store.loadAlertState(rules: AlertRules(), since: nil)
            #expect(try await rows(store) == [0, 0, 0, decided])
        }
        try await withStore { store in
            var alertState = try await store.loadAlertState(rules: rules, since: nil)
            #expect(alertState.position == nil && alertState.markets[korean]?.days.isEmpty == true)
            // What was read is history, and nothing of it fires again.
            #expect(try read(&alertState).isEmpty)
            #expect(alertState.markets[korean]?.days.count == days)
        }
    }

    @Test("the end of the baseline is found once, by time, and is a sequence from then on")
    func history() throws {
        let events = try events()
        let time = events[0].time
        var baseline = BaselinePosition()
        let byTime = [3, 2, 3].map { baseline.includes(events[$0], began: $0 == 3 ? time : time + 1) }
        #expect(byTime == [false, true, false])
        #expect(baseline.ends == [.ranking: events[2].sequence])
        var other = BaselinePosition()
        let early = other.includes(events[3], began: time + 1)
        other.close(at: LogCursor(epoch: "e", streams: [.ranking: StreamCursor(after: events[4].sequence)]))
        let byPlace = [4, 5].map { other.includes(events[$0], began: time) }
        #expect([early] + byPlace == [true, true, false])
    }
}
