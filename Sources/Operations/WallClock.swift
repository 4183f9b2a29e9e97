public import FoundationEssentials

/// The time of day, as a value that tests replace.
public struct WallClock: Sendable {
    /// Tells the time.
    public var now: @Sendable () -> Date

    /// Makes a clock of a function that tells the time.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The machine's clock.
    public static let system = WallClock(now: { Date() })
}
