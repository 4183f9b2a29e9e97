public import JSONCoding

/// The chart of a week in one market, as known at one time.
public struct WeekChart: Hashable, Sendable {
    /// The days whose figures are added up.
    public var week: Week
    /// The year and the number of the week as the source counts them, such as `202423`.
    public var yearWeek: String?
    /// The figures, whose changes are against the week before; the chart's date is the week's first day.
    public var chart: Chart

    /// Makes the first revision of a week's chart.
    public init(week: Week, yearWeek: String?, market: Market, state: Chart.State, entries: [ChartEntry]) {
        self.week = week
        self.yearWeek = yearWeek
        chart = Chart(date: week.firstDay, market: market, state: state, entries: entries)
    }

    /// Returns this chart as the next revision of an earlier one; nil if no figure changed.
    public func revised(from earlier: WeekChart) -> WeekChart? {
        guard let revision = chart.revised(from: earlier.chart) else { return nil }
        var next = self
        next.chart = revision
        return next
    }
}

// MARK: - JSON

extension WeekChart: JSONReadable {
    /// Reads the chart's fields and the week's fields beside them.
    public init(json: JSONValue) throws(DecodingError) {
        let firstDay = try json.value("firstDay").text(as: KoreanDate.self)
        week = Week(of: firstDay, span: try json.value("span").word())
        yearWeek = try json["yearWeek"]?.text()
        chart = try Chart(json: json)
    }
}

extension WeekChart: JSONWritable {
    /// Writes the chart's fields and the week's fields beside them.
    public func write(to json: inout JSONWriter) {
        chart.write(to: &json, of: self)
    }
}
