import BoxOffice
import Contract

/// The chart of a day or a week as a terminal shows it.
struct ChartTable {
    private let chart: Chart
    private let head: String

    /// Shows a day's chart.
    init(chart: Chart) {
        self.chart = chart
        head = "\(chart.date) 일별 박스오피스"
    }

    /// Shows a week's chart.
    init(_ weekly: WeekChart) {
        chart = weekly.chart
        head = "\(weekly.week.firstDay) ~ \(weekly.week.lastDay) \(weekly.week.span.name) 박스오피스"
    }

    /// Shows the chart that an event tells.
    init(_ event: Event) throws {
        if case .weekRanking = event.topic { self.init(try event.data()) } else { self.init(chart: try event.data()) }
    }

    /// Title, head and one line a film.
    var lines: [String] {
        var table = TextTable([.right, .left, .left, .right, .right])
        table.add(["순위", "변동", "제목", "관객", "누적"])
        for entry in chart.entries {
            table.add(
                [
                    entry.rank.map(String.init) ?? "?", entry.movement.description, entry.title,
                    entry.audience?.grouped ?? "?", entry.audienceTotal?.grouped ?? "?",
                ], paint: entry.movement.color.map { [1: $0.paint] } ?? [:])
        }
        let market = chart.market == .all ? "" : " · \(chart.market)"
        let state = chart.state == .settled ? "확정" : "잠정"
        // Not every revision corrects: one may only say that the figures have settled.
        let revision = chart.revision > 1 ? " · \(chart.revision)판" : ""
        let title = "\(head)\(market) · \(state)\(revision)"
        return [TerminalColor.bold.paint(title)] + table.lines
    }
}

extension Week.Span {
    /// The span as Korean charts call it.
    fileprivate var name: String {
        switch self {
        case .week: "주간"
        case .weekend: "주말"
        case .weekdays: "주중"
        }
    }
}
