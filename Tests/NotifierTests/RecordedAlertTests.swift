import BoxOffice
import Events
import TestSupport
import Testing

@testable import Notifier

@Suite(.enabled(if: Recorded.isAvailable)) struct RecordedAlertTests {
    private let charts: [LoggedChart]

    init() throws {
        charts = try RecordedCharts.of2024()
    }

    private func alerts(of charts: [LoggedChart], since: KoreanDate? = nil) -> [Alert] {
        var decider = AlertDecider(rules: AlertRules(), since: since)
        return charts.flatMap { decider.take($0) }
    }

    @Test("ids are unique, and two runs agree")
    func ids() {
        let alerts = alerts(of: charts)
        #expect(charts.count == 304)
        #expect(Set(alerts.map(\.id)).count == alerts.count)
        #expect(alerts == self.alerts(of: charts))
        #expect(Set(alerts.map(\.rule)) == Set(AlertRules().words))
    }

    @Test("rises, falls, entries, leads and leavings are those that two charts show by themselves")
    func recount() throws {
        let alerts = Dictionary(grouping: alerts(of: charts), by: \.date)
        for (before, day) in zip(charts, charts.dropFirst()) where day.chart.date - before.chart.date == 1 {
            let fired = Dictionary(grouping: alerts[day.chart.date] ?? [], by: \.rule).mapValues { $0.map(\.movieCode) }
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

    @Test("history from the newest day back fires for the newest day only")
    func backwards() {
        let alerts = alerts(of: charts.reversed())
        #expect(Set(alerts.map(\.date)).isSubset(of: [charts[303].chart.date]))
    }

    @Test("since the first day, any order leads to the same alerts")
    func anyOrder() {
        let first = charts[0].chart.date
        let forwards = alerts(of: charts, since: first)
        #expect(Set(alerts(of: charts.reversed(), since: first).map(\.id)) == Set(forwards.map(\.id)))
        #expect(forwards == alerts(of: charts))
    }

    @Test("every rank of the day before that an alert tells is the one of that day's chart")
    func previousRanks() {
        let days = Dictionary(uniqueKeysWithValues: charts.map { ($0.chart.date, $0.chart.entries) })
        for alert in alerts(of: charts) {
            guard let before = days[alert.date - 1]?.first(where: { $0.movieCode == alert.movieCode }) else { continue }
            #expect(alert.previousRank == before.rank)
        }
    }
}
