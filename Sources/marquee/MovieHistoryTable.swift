import BoxOffice
import EventStore

/// A film's days in the charts as a terminal shows them: its ranks, its admissions and, for people, a bar of those.
struct MovieHistoryTable {
    /// The days, in order.
    let days: [ChartAppearance]
    /// Whether the bars are drawn, and a line where days are missing.
    let hasPlot: Bool

    /// How many columns the longest bar takes.
    private static let width = 24

    /// Title, head and one line a day.
    var lines: [String] {
        guard let first = days.first, let last = days.last else { return [] }
        var table = TextTable([.left, .right, .left, .right, .right] + (hasPlot ? [.left] : []))
        table.add(["날짜", "순위", "변동", "관객", "누적"] + (hasPlot ? [""] : []))
        let most = days.compactMap(\.entry.audience).max() ?? 0
        var before: KoreanDate?
        for day in days {
            if hasPlot, let before, day.date - before > 1 { table.add(["⋮", "", "", "", "", ""]) }
            before = day.date
            let entry = day.entry
            table.add(
                [
                    "\(day.date)", entry.rank.map(String.init) ?? "?", entry.movement.description,
                    entry.audience?.grouped ?? "?", entry.audienceTotal?.grouped ?? "?",
                ] + (hasPlot ? [Self.bar(entry.audience ?? 0, of: most)] : []),
                paint: entry.movement.color.map { [2: $0.paint] } ?? [:])
        }
        let market = first.revision.chart.market == .all ? "" : " · \(first.revision.chart.market)"
        let title =
            "\(last.entry.title) (\(last.entry.movieCode))\(market) · \(first.date) ~ \(last.date) · \(days.count)일"
        return [TerminalColor.bold.paint(title)] + table.lines
    }

    /// A bar as long as `number` is of `most`, to an eighth of a column.
    static func bar(_ number: Int, of most: Int) -> String {
        guard most > 0, number > 0 else { return "" }
        let eighths = max(1, number * width * 8 / most)
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
    }
}

extension RankMovement {
    /// The colour that Korean charts print it in.
    var color: TerminalColor? {
        switch self {
        case .new, .rose: .red
        case .fell: .blue
        case .unchanged: nil
        }
    }
}
