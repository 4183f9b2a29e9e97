extension Anomaly {
    /// The chart of a day has not come by a time of the day after it, such as `09:00`.
    public static func late(_ date: KoreanDate, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: date, in: market, expected: 1, found: 0,
            text: "the chart of \(date) is not there at \(time) of the day after it")
    }

    /// The chart of a week has not come by a time of the day after its last.
    public static func late(_ week: Week, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: week.firstDay, span: week.span, in: market, expected: 1, found: 0,
            text: "the \(week.span.rawValue) chart of \(week) is not there at \(time) of the day after it")
    }

    /// A day's list is empty, where it had `lines` before, or where that is not known.
    public static func empty(_ date: KoreanDate, in market: Market, lines: Int?) -> Anomaly {
        Anomaly(
            .missing, of: date, in: market, expected: lines ?? 1, found: 0,
            text: "the chart of \(date) \(empty(lines, "day"))")
    }

    /// A week's list is empty, likewise.
    public static func empty(_ week: Week, in market: Market, lines: Int?) -> Anomaly {
        Anomaly(
            .missing, of: week.firstDay, span: week.span, in: market, expected: lines ?? 1, found: 0,
            text: "the \(week.span.rawValue) chart of \(week) \(empty(lines, "week"))")
    }

    private static func empty(_ lines: Int?, _ period: String) -> String {
        lines == nil ? "is empty, long after the \(period)" : "is empty, and had lines before"
    }
}
