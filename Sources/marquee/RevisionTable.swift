import BoxOffice
import EventStore

/// The revisions of a chart: when each was learnt, and what it corrected.
struct RevisionTable {
    /// The revisions, in order.
    let revisions: [ChartRevision]

    /// Head, and for each revision a line, with its corrections from there on downwards.
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
    /// The film, the field and how it changed.
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
    /// The value for people.
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
