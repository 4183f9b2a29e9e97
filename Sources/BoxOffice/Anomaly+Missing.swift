extension Anomaly {
    /// The chart of a day has not come by a time of the day after it, such as `09:00`.
    public static func late(_ date: KoreanDate, in market: Market, at time: String) -> Anomaly {
        Anomaly(
            .late, of: date, in: market, expected: 1, found: 0,
            text: "the chart of \(date) is not there at \(time) of the day after it")
    }

    /// A day's list is empty, where it had `lines` before, or where that is not known.
    public static func empty(_ date: KoreanDate, in market: Market, lines: Int?) -> Anomaly {
        let text =
            if lines != nil { "the chart of \(date) is empty, and had lines before" } else {
                "the chart of \(date) is empty, long after the day"
            }
        return Anomaly(.missing, of: date, in: market, expected: lines ?? 1, found: 0, text: text)
    }
}
