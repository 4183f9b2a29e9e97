public import BoxOffice

/// What the council says about a week.
public struct WeeklyFigures: Hashable, Sendable {
    /// The year and the number of the week as the council counts them, such as `202423`.
    public let yearWeek: String?
    /// The lines, at most ten, in the council's order.
    public let entries: [ChartEntry]
}
