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

    private func alerts(of charts: [SourcedChart], since: KoreanDate? = nil) -> [Alert] {
        var decider = AlertDecider(rules: AlertRules(), since: since)
        return charts.flatMap { decider.apply($0) }
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
                stayed.filter { (old[$0] ?? 0) - (new[$0] ?? 0) >= 3 } == stayed.intersection(fired[.rose] ?? []))
            #expect(
                stayed.filter { (new[$0] ?? 0) - (old[$0] ?? 0) >= 3 } == stayed.intersection(fired[.fell] ?? []))
            #expect(Set(fired[.left] ?? []) == Set(old.keys).subtracting(new.keys))
            #expect(stayed.isDisjoint(with: fired[.entered] ?? []))
            let hasNewLeader = before.chart.entries.first?.movieCode != day.chart.entries.first?.movieCode
            #expect((fired[.lead] ?? []).isEmpty != hasNewLeader)
        }
    }

    @Test("charts that arrive from the newest day backwards fire only for the newest day")
    func backwards() {
        let alerts = alerts(of: charts.reversed())
        #expect(Set(alerts.map(\.date)).isSubset(of: [charts[303].chart.date]))
    }

    @Test("with since the first day, any order leads to the same alerts")
    func anyOrder() {
        let first = charts[0].chart.date
        let forwards = alerts(of: charts, since: first)
        #expect(Set(alerts(of: charts.reversed(), since: first).map(\.id)) == Set(forwards.map(\.id)))
        #expect(forwards == alerts(of: charts))
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
        let rules: [any Rule] = [
            ReenteredRule(after: 3), OpeningRule(), StreakRule(days: [5, 10]), MilestoneRule(), BestRule(),
            ScreensRule(),
        ]
        var decider = AlertDecider(rules: AlertRules(rules.map { AlertRules.Entry($0) }))
        let fired = Set(charts.flatMap { decider.apply($0) }.map(\.id))
        let days = Set(charts.map(\.chart.date))
        let leaders = Dictionary(uniqueKeysWithValues: charts.map { ($0.chart.date, $0.chart.entries[0].movieCode) })
        let lines = charts.flatMap { chart in chart.chart.entries.map { (day: chart.chart.date, movie: $0) } }
        var expected: Set<String> = []
        for (code, year) in Dictionary(grouping: lines, by: \.movie.movieCode) {
            for (day, movie) in year {
                func fire(_ rule: AlertRule) { expected.insert("\(rule.rawValue).\(code).\(day).all") }
                let before = year.filter { $0.day < day }
                let last = before.last
                if movie.openDate == day { fire(.opening) }
                if days.contains(day - 1), let last, day - last.day > 3 { fire(.reentered) }
                let streak = (0...).first { leaders[day - $0] != code } ?? 0
                if [5, 10].contains(streak) { fire(.streak) }
                if let first = before.first, day - first.day >= 7,
                    before.allSatisfy({ $0.movie.audience ?? 0 < movie.audience ?? 0 })
                {
                    fire(.best)
                }
                let earlier = last?.movie.audienceTotal ?? (movie.audienceTotal ?? 0) - (movie.audience ?? 0)
                let isOld = movie.openDate.map { $0.year < 2011 } ?? false
                if !isOld, MilestoneRule().totals.contains(where: { earlier < $0 && $0 <= movie.audienceTotal ?? 0 }) {
                    fire(.milestone)
                }
                if last?.day == day - 1, let screens = movie.screens, let old = last?.movie.screens,
                    max(old, screens) >= 100, old >= 2 * screens || screens >= 2 * old
                {
                    fire(.screens)
                }
            }
        }
        #expect(fired == expected)
        #expect(Set(fired.map { $0.prefix { $0 != "." } }).count == rules.count)
    }
}
