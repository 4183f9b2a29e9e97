import BoxOffice
import Contract
import EventStore

/// The text of a day's or a week's chart.
struct ChartTable {
    private let chart: Chart
    private let head: String

    /// Makes the table of a day's chart.
    init(chart: Chart) {
        self.chart = chart
        head = "\(chart.date) 일별 박스오피스"
    }

    /// Makes the table of a week's chart.
    init(_ weekly: WeekChart) {
        chart = weekly.chart
        head = "\(weekly.week.firstDay) ~ \(weekly.week.lastDay) \(weekly.week.span.name) 박스오피스"
    }

    /// Makes the table of the chart in an event.
    ///
    /// - Throws: if the event has no chart.
    init(_ event: Event) throws {
        if case .weekRanking = event.topic { self.init(try event.data()) } else { self.init(chart: try event.data()) }
    }

    /// The title, the column heads and a line for each movie.
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
        // A revision does not always correct figures; it may only mark them as settled.
        let revision = chart.revision > 1 ? " · \(chart.revision)판" : ""
        let title = "\(head)\(market) · \(state)\(revision)"
        return [TerminalColor.bold.paint(title)] + table.lines
    }
}

extension Week.Span {
    /// The Korean name of the span.
    fileprivate var name: String {
        switch self {
        case .week: "주간"
        case .weekend: "주말"
        case .weekdays: "주중"
        }
    }
}

/// The text of the revisions of a chart: the time and the corrections of each.
struct RevisionTable {
    /// The revisions, in order.
    let revisions: [ChartRevision]

    /// The column heads, and for each revision a line for each of its corrections.
    var lines: [String] {
        var table = TextTable([.right, .left, .left, .left, .left, .left])
        table.add(["판", "알게 된 때", "상태", "정정", "", ""])
        for revision in revisions {
            let chart = revision.chart
            let learnt = "\(KoreanDate(at: revision.recordedAt)) \(revision.recordedAt.koreanTime)"
            let titles = Dictionary(chart.entries.map { ($0.movieCode, $0.title) }, uniquingKeysWith: { $1 })
            var corrections = (chart.corrections ?? []).map { $0.cells(titles) }
            if corrections.isEmpty { corrections = [["-", "", ""]] }
            var head = ["\(chart.revision)", learnt, chart.state == .settled ? "확정" : "잠정"]
            for cells in corrections {
                table.add(head + cells)
                head = ["", "", ""]
            }
        }
        return table.lines
    }
}

extension Correction {
    /// The cells of the movie, the field and its old and new value.
    fileprivate func cells(_ titles: [MovieCode: String]) -> [String] {
        let movie = titles[movieCode] ?? "\(movieCode)"
        return switch change {
        case .field(let field, let before, let after): [movie, field.rawValue, "\(before.text) → \(after.text)"]
        case .entry(let before, let after):
            [
                after?.title ?? before?.title ?? movie, "entry",
                "\(before.map { "\($0.line)" } ?? "-") → \(after.map { "\($0.line)" } ?? "-")",
            ]
        }
    }
}

extension ChartEntry.Value {
    /// The formatted value.
    fileprivate var text: String {
        switch self {
        case .null: "-"
        case .flag(let flag): "\(flag)"
        case .integer(let number): number.grouped
        case .percent(let percent): "\(percent)%"
        case .text(let text): text
        }
    }
}
