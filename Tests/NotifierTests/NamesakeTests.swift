import BoxOffice
import Contract
import Testing

@testable import Notifier

/// Sentences about movies whose title another movie has, too.
@Suite struct NamesakeTests {
    /// A movie with the title 괴물, if its letter is A or B, which opened in 2006 and 2023.
    private func chart(_ day: KoreanDate, _ letters: String) throws -> SourcedChart {
        let entries = try letters.enumerated().map { index, letter in
            var movie = try ChartEntry.movie(String(letter), line: index + 1, isNew: letter == "B")
            movie.openDate = KoreanDate(letter == "A" ? "2006-07-27" : "2023-11-29")
            if "AB".contains(letter) { movie.title = "괴물" }
            return movie
        }
        let evidence = Alert.Evidence(stream: .ranking, sequence: .zero)
        return SourcedChart(
            chart: Chart(date: day, market: .all, state: .provisional, entries: entries), evidence: evidence)
    }

    private let first = KoreanDate(dayNumber: 19_000)

    @Test("two movies of one title in the chart are told apart in every sentence, and their data stay as they are")
    func inTheChart() throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(first, "AZ"))
        let alerts = state.apply(try chart(first + 1, "BA"))
        #expect(
            alerts.map(\.text.ko) == [
                "〈괴물 (2023)〉 1위로 신규 진입", "〈괴물 (2023)〉, 〈괴물 (2006)〉을 제치고 1위", "〈Z〉 10위권 이탈(전날 2위)",
            ])
        #expect(
            alerts.map(\.text.en) == [
                "괴물 (2023) is new at No. 1", "괴물 (2023) takes No. 1 from 괴물 (2006)",
                "Z has left the top ten (No. 2 the day before)",
            ])
        #expect(alerts.map(\.title) == ["괴물", "괴물", "Z"])
        #expect(alerts[1].values["previousLeaderTitle"] == .text("괴물"))
    }

    @Test("a namesake counts while it was in a known chart of the last four weeks", arguments: [27, 28])
    func weeksAgo(days: Int) throws {
        var state = AlertState(rules: AlertRules())
        _ = state.apply(try chart(first, "A"))
        let alerts = state.apply(try chart(first + days, "B"))
        #expect(alerts.map(\.text.ko) == [days == 27 ? "〈괴물 (2023)〉 1위로 신규 진입" : "〈괴물〉 1위로 신규 진입"])
    }

    @Test("history, and a notifier that starts again, name a movie as the live notifier did")
    func repeated() throws {
        let days = [(0, "AZ"), (30, "A"), (50, "B"), (90, "Z")]
        let charts = try days.map { try chart(first + $0.0, $0.1) }
        var live = AlertState(rules: AlertRules())
        let alerts = charts.flatMap { live.apply($0) }
        #expect(alerts.map(\.text.ko) == ["〈괴물 (2023)〉 1위로 신규 진입"])
        var later = AlertState(rules: AlertRules(), since: first + 50)
        for chart in charts.reversed() { later.applyBaseline(chart) }
        #expect(later.decideHistory() == alerts)
        var restarted = AlertState(rules: AlertRules())
        for chart in charts.prefix(2) { restarted.applyBaseline(chart) }
        #expect(restarted.apply(charts[2]) == alerts)
    }
}
