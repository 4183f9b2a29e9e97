extension WeekChart {
    /// What is hard to believe of this chart, beside its earlier revision and the chart of the same days of the week before,
    /// where those are known; at most one of each kind. As for a day: totals never fall by more than a correction.
    public func anomalies(after earlier: WeekChart?, weekBefore: WeekChart?) -> [Anomaly] {
        chart.anomalies(
            after: earlier?.chart, before: weekBefore?.chart, called: "the \(week.span.rawValue) chart of \(week)",
            "the week before"
        ).map { anomaly in
            var anomaly = anomaly
            anomaly.span = week.span
            return anomaly
        }
    }
}
