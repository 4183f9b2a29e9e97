/// A rule by which a movie's day in the chart is worth an alert; the raw value is its word on the wire.
public enum AlertRule: String, Hashable, Sendable, CaseIterable, Codable {
    /// The movie is new in the chart.
    case entered
    /// The movie was in the chart the day before and is no longer.
    case left
    /// The movie rose by several ranks.
    case rose
    /// The movie fell by several ranks.
    case fell
    /// The movie leads the chart, and another did the day before.
    case lead
}
