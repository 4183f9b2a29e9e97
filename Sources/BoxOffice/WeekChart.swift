/// The chart of a week in one market, as known at one time.
public struct WeekChart: Hashable, Sendable {
    /// The days that the figures add up.
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

    /// This chart as the next revision of an earlier one, or nil if its figures say nothing new.
    public func revised(from earlier: WeekChart) -> WeekChart? {
        guard let revision = chart.revised(from: earlier.chart) else { return nil }
        var next = self
        next.chart = revision
        return next
    }
}

extension WeekChart: Codable {
    private enum Key: String, CodingKey {
        case span
        case firstDay
        case lastDay
        case yearWeek
    }

    /// Reads the chart's fields and, beside them, which week it is of.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let span = try container.decode(Week.Span.self, forKey: .span)
        week = Week(of: try container.decode(KoreanDate.self, forKey: .firstDay), span: span)
        yearWeek = try container.decodeIfPresent(String.self, forKey: .yearWeek)
        chart = try Chart(from: decoder)
    }

    /// Writes the chart's fields and, beside them, which week it is of.
    public func encode(to encoder: any Encoder) throws {
        try chart.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(week.span, forKey: .span)
        try container.encode(week.firstDay, forKey: .firstDay)
        try container.encode(week.lastDay, forKey: .lastDay)
        try container.encode(yearWeek, forKey: .yearWeek)
    }
}
