import BoxOffice
import Contract
import TestSupport
import Testing

@testable import Notifier

@Suite(.ownThread) struct RecordedAlertTests {
    private let charts: [SourcedChart]

    init() throws {
        charts = try RecordedCharts.of2024()
    }

    private func alerts(of charts: [SourcedChart], by rules: AlertRules = AlertRules()) -> [Alert] {
        var state = AlertState(rules: rules)
        return charts.flatMap { state.apply($0) }
    }

    /// All rules about movies.
    private var allRules: AlertRules {
        let rules: [any MovieRule] = [
            EnteredRule(), LeftRule(), RoseRule(), FellRule(), LeadRule(), ReenteredRule(after: 3), OpeningRule(),
            StreakRule(days: [3, 5, 10]), MilestoneRule(), BestRule(), ScreensRule(),
        ]
        return AlertRules(rules.map { ConfiguredRule($0) })
    }

    @Test("ids are unique, and two runs agree")
    func ids() {
        let alerts = alerts(of: charts)
        #expect(charts.count == 304)
        #expect(Set(alerts.map(\.id)).count == alerts.count)
        #expect(alerts == self.alerts(of: charts))
        #expect(Set(alerts.map(\.rule)) == Set(AlertRules().names))
    }

    @Test("rises, falls, entries, leads and departures equal those computed from the two charts alone")
    func recount() throws {
        let alerts = Dictionary(grouping: alerts(of: charts), by: \.date)
        for (before, day) in zip(charts, charts.dropFirst()) where day.chart.date - before.chart.date == 1 {
            let fired = Dictionary(grouping: alerts[day.chart.date] ?? [], by: \.rule).mapValues {
                $0.compactMap(\.movieCode)
            }
            let old = Dictionary(uniqueKeysWithValues: before.chart.entries.map { ($0.movieCode, $0.rank ?? 0) })
            let new = Dictionary(uniqueKeysWithValues: day.chart.entries.map { ($0.movieCode, $0.rank ?? 0) })
            // Films in both charts, by their ranks alone: settled figures agree with the source's own change.
            let stayed = Set(old.keys).intersection(new.keys)
            #expect(
                stayed.filter { (old[$0] ?? 0) - (new[$0] ?? 0) >= 3 } == stayed.intersection(fired["rose"] ?? []))
            #expect(
                stayed.filter { (new[$0] ?? 0) - (old[$0] ?? 0) >= 3 } == stayed.intersection(fired["fell"] ?? []))
            #expect(Set(fired["left"] ?? []) == Set(old.keys).subtracting(new.keys))
            #expect(stayed.isDisjoint(with: fired["entered"] ?? []))
            let hasNewLeader = before.chart.entries.first?.movieCode != day.chart.entries.first?.movieCode
            #expect((fired["lead"] ?? []).isEmpty != hasNewLeader)
        }
    }

    @Test("charts that arrive from the newest day backwards fire only for the newest eight days")
    func backwards() {
        let alerts = alerts(of: charts.reversed())
        let newest = charts[303].chart.date
        #expect(Set(alerts.map(\.date)) == Set(charts.map(\.chart.date).filter { newest - $0 <= 7 }))
    }

    @Test("history in any order leads to the alerts of the order of the days, with gaps, too", arguments: 1...6)
    func history(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let known = seed == 1 ? charts : charts.filter { _ in Int.random(in: 0..<20, using: &random) > 0 }
        let since = known[0].chart.date
        var state = AlertState(rules: allRules, since: since)
        for chart in known.shuffled(using: &random) { state.applyBaseline(chart) }
        #expect(state.decideHistory().map(\.id) == alerts(of: known, by: allRules).map(\.id))
    }

    @Test(
        "charts that arrive in any order within a week lead to the alerts of the order of the days, and retract none",
        arguments: 1...12)
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let known = seed == 1 ? charts : charts.filter { _ in Int.random(in: 0..<20, using: &random) > 0 }
        // A chart changes places only with those of days less than eight days before or after it.
        let places = known.map { Double($0.chart.date.dayNumber) + .random(in: 0..<8, using: &random) }
        let order = zip(places, known).sorted { $0.0 < $1.0 }.map(\.1)
        let alerts = alerts(of: order, by: allRules)
        #expect(alerts.allSatisfy { $0.retracts == nil })
        #expect(Set(alerts.map(\.id)) == Set(self.alerts(of: known, by: allRules).map(\.id)))
        #expect(Set(alerts.map(\.id)).count == alerts.count)
    }

    @Test(
        "the newest eight days have the alerts of the order of the days, however their charts and older ones have come",
        arguments: 1...40)
    func newestDays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let first = Int.random(in: 0...charts.count - 40, using: &random)
        let known = charts[first..<first + 40].filter { _ in Int.random(in: 0..<12, using: &random) > 0 }
        let order = known.shuffled(using: &random)
        // A notifier that is started in the middle with the first of these days, or before all with none of them.
        let start = Int.random(in: -order.count..<order.count, using: &random)
        let since = known[0].chart.date
        var state = AlertState(rules: allRules, since: since)
        for chart in order.prefix(max(0, start)) { state.applyBaseline(chart) }
        var alerts = state.decideHistory()
        for chart in order.dropFirst(max(0, start)) { alerts += state.apply(chart) }
        let newest = known[known.count - 1].chart.date
        func ofNewestDays(_ alerts: [Alert]) -> [String] {
            alerts.filter { newest - $0.date <= MarketState.daysBeforeNewest }.map(\.id).sorted()
        }
        #expect(ofNewestDays(alerts) == ofNewestDays(self.alerts(of: known, by: allRules)))
    }

    @Test(
        "after corrections, what stands is what the corrected charts say, but for what was retracted", arguments: 1...6)
    func corrections(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var state = AlertState(rules: allRules)
        var final = charts
        var alerts: [Alert] = []
        for index in charts.indices {
            alerts += state.apply(charts[index])
            guard index >= 10, Int.random(in: 0..<4, using: &random) == 0 else { continue }
            // A chart of the week is corrected: two neighbours change places, or one movie had more or fewer visitors.
            let corrected = index - Int.random(in: 0...7, using: &random)
            guard charts[index].chart.date - charts[corrected].chart.date <= 7 else { continue }
            var entries = final[corrected].chart.entries
            let line = Int.random(in: 0..<9, using: &random)
            if Bool.random(using: &random) {
                entries.swapAt(line, line + 1)
                (entries[line].line, entries[line + 1].line) = (line + 1, line + 2)
            } else {
                entries[line].audience = (entries[line].audience ?? 0) * Int.random(in: 0...3, using: &random)
            }
            final[corrected].chart.entries = entries
            alerts += state.apply(final[corrected])
        }
        let retracted = Set(alerts.compactMap(\.retracts))
        let standing = Set(alerts.filter { $0.retracts == nil }.map(\.id)).subtracting(retracted)
        #expect(!retracted.isEmpty)
        // A corrected audience may move the day that carried a movie over a milestone; its alert stays where it is.
        func isComparable(_ id: String) -> Bool { !id.hasPrefix("milestone.") && !retracted.contains(id) }
        let expected = Set(self.alerts(of: final, by: allRules).map(\.id))
        #expect(standing.filter(isComparable) == expected.filter(isComparable))
    }

    @Test("every previous rank in an alert equals the rank in the previous day's chart")
    func previousRanks() {
        let days = Dictionary(uniqueKeysWithValues: charts.map { ($0.chart.date, $0.chart.entries) })
        for alert in alerts(of: charts) {
            guard let before = days[alert.date - 1]?.first(where: { $0.movieCode == alert.movieCode }) else { continue }
            #expect(alert.previousRank == before.rank)
        }
    }

    @Test("the further rules fire over a year what the movies' whole years show")
    func furtherRules() {
        let rules: [any MovieRule] = [
            ReenteredRule(after: 3), OpeningRule(), StreakRule(days: [5, 10]), MilestoneRule(), BestRule(),
            ScreensRule(),
        ]
        var state = AlertState(rules: AlertRules(rules.map { ConfiguredRule($0) }))
        let fired = Set(charts.flatMap { state.apply($0) }.map(\.id))
        let days = Set(charts.map(\.chart.date))
        let leaders = Dictionary(uniqueKeysWithValues: charts.map { ($0.chart.date, $0.chart.entries[0].movieCode) })
        let lines = charts.flatMap { chart in chart.chart.entries.map { (day: chart.chart.date, movie: $0) } }
        var expected: Set<String> = []
        for (code, year) in Dictionary(grouping: lines, by: \.movie.movieCode) {
            for (day, movie) in year {
                func fire(_ rule: AlertRule) { expected.insert("\(rule.rawValue).\(code).\(day).all") }
                let before = year.filter { $0.day < day }
                let last = before.last
                if movie.openDate == day { fire("opening") }
                func areKnown(since first: KoreanDate) -> Bool {
                    (first.dayNumber..<day.dayNumber).allSatisfy { days.contains(KoreanDate(dayNumber: $0)) }
                }
                let isOpening = movie.isNew || movie.openDate == day
                if let last, day - last.day > 3, areKnown(since: last.day), !isOpening { fire("reentered") }
                let streak = (0...).first { leaders[day - $0] != code } ?? 0
                if [5, 10].contains(streak), days.contains(day - streak) { fire("streak") }
                if let first = before.first, day - first.day >= 7, let opening = movie.openDate, opening < day,
                    areKnown(since: opening), before.allSatisfy({ $0.movie.audience ?? 0 < movie.audience ?? 0 })
                {
                    fire("best")
                }
                let dayBefore = (movie.audienceTotal ?? 0) - (movie.audience ?? 0)
                let highest = before.compactMap(\.movie.audienceTotal).max()
                let isOld = movie.openDate.map { $0.year < 2011 } ?? false
                let isPassed = MilestoneRule().totals.contains { milestone in
                    guard milestone <= movie.audienceTotal ?? 0, highest ?? 0 < milestone else { return false }
                    return dayBefore < milestone || (last.map { areKnown(since: $0.day) } ?? false)
                }
                if !isOld, isPassed { fire("milestone") }
                if last?.day == day - 1, let screens = movie.screens, let old = last?.movie.screens,
                    max(old, screens) >= 100, old >= 2 * screens || screens >= 2 * old
                {
                    fire("screens")
                }
            }
        }
        #expect(fired == expected)
        #expect(Set(fired.map { $0.prefix { $0 != "." } }).count == rules.count)
    }
}
