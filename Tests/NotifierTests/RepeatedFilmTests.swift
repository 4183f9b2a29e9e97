import BoxOffice
import Contract
import Testing

@testable import Notifier

@Suite struct RepeatedFilmTests {
    @Test("a film that a chart names twice has each of its alerts once, in its first line's place")
    func twice() throws {
        let before = try SourcedChart.june(3, [.movie("A", line: 1), .movie("C", line: 2), .movie("A", line: 3)])
        let day = try SourcedChart.june(
            4,
            [
                .movie("B", line: 1, isNew: true), .movie("D", line: 2, change: 3), .movie("B", line: 3, isNew: true),
                .movie("D", line: 4, change: 5),
            ])
        let alerts = AlertRules().alerts(for: day, before: before)
        #expect(
            alerts.map { "\($0.rule.rawValue) \($0.title ?? "")" } == [
                "entered B", "lead B", "rose D", "left A", "left C",
            ])
    }
}
