public import BoxOffice

/// A chart, and the event of the log that it came from.
public struct SourcedChart: Hashable, Sendable {
    /// The chart.
    public var chart: Chart
    /// Where it stands in the log.
    public var position: Alert.Evidence

    /// Makes the pair.
    public init(_ chart: Chart, at position: Alert.Evidence) {
        self.chart = chart
        self.position = position
    }
}
