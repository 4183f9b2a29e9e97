public import FoundationEssentials

/// A clock for the date and time of day. Tests replace it.
///
/// For durations and timeouts use a `Clock`: the system can set the time of day back.
public struct WallClock: Sendable {
    /// Returns the current time.
    public var now: @Sendable () -> Date

    /// Makes a clock from a function that returns the current time.
    public init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    /// The clock of the system.
    public static let system = WallClock(now: { Date() })
}

/// Measures the time since its creation.
///
/// It hides the `Instant` type of its clock, which an `any Clock<Duration>` does not reveal.
public struct Stopwatch: Sendable {
    private let readElapsed: @Sendable () -> Duration

    /// Starts the stopwatch.
    public init(_ clock: some Clock<Duration>) {
        let start = clock.now
        readElapsed = { start.duration(to: clock.now) }
    }

    /// The time since the stopwatch was made.
    public var elapsed: Duration { readElapsed() }
}
