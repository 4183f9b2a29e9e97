public import BoxOffice
public import Contract
public import FoundationEssentials

/// A chart as it was known from some time on.
public struct ChartRevision: Hashable, Sendable {
    /// The event that says it.
    public let event: Event
    /// The figures; a week's begin on the chart's date.
    public let chart: Chart

    /// When they were learnt, while the chart's date is what they are about.
    public var learnt: Date { event.time }

    /// Reads a chart's event.
    public init(_ event: LoggedEvent) throws {
        self.event = try Event(topic: event.topic, body: event.body)
        chart = try event.data()
    }
}

/// A film's line in the chart of a day.
public struct ChartAppearance: Hashable, Sendable {
    /// The chart that the line is of.
    public let revision: ChartRevision
    /// The line.
    public let entry: ChartEntry

    /// The day.
    public var date: KoreanDate { revision.chart.date }
}
