import BoxOffice
import JSONCoding

/// What a chart call asks for, checked.
struct ChartQuery: Sendable {
    var date: KoreanDate
    /// The part of the week for a weekly chart, nil for a daily one.
    var part: ChartPeriod.Part?
    var market: Market
    /// At most so many lines, 1 to 10.
    var lines: Int

    /// The days the chart is about.
    var span: ChartPeriod {
        part.map { ChartPeriod($0, of: date) } ?? ChartPeriod(day: date)
    }

    /// The body for some lines of the chart.
    func body(_ lines: [ChartLine]) -> [UInt8] {
        let list = JSONTree.array(lines.map(\.tree))
        let span = span
        let range = JSONTree.string("\(span.first.compact)~\(span.last.compact)")
        guard let part else {
            return JSONTree.object([
                (
                    "boxOfficeResult",
                    .object([
                        ("boxofficeType", "일별 박스오피스"), ("showRange", range), ("dailyBoxOfficeList", list),
                    ])
                )
            ]).json
        }
        let (year, week) = ReleaseWeek(of: date).ordinal
        return JSONTree.object([
            (
                "boxOfficeResult",
                .object([
                    ("boxofficeType", .string(part.title)), ("showRange", range),
                    ("yearWeekTime", "\(year)\(week < 10 ? "0" : "")\(week)"), ("weeklyBoxOfficeList", list),
                ])
            )
        ]).json
    }
}

extension ChartPeriod.Part {
    fileprivate var title: String {
        switch self {
        case .week: "주간 박스오피스"
        case .weekend: "주말 박스오피스"
        // Recorded nowhere; named like the other two.
        case .weekdays: "주중 박스오피스"
        }
    }
}
