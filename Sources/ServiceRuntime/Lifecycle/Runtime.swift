public import FoundationEssentials

/// What the parts of a process share: its log, its clocks, its metrics, and the points at which tests kill it.
public struct Runtime: Sendable {
    /// The log of the process.
    public var logger: Logger
    /// The date and time of day.
    public var wallClock: WallClock
    /// The clock for pauses, time limits and durations.
    public var clock: any Clock<Duration>
    /// The metrics of the process.
    public let metrics: Metrics
    /// The points at which the process can be killed.
    public let failPoints: FailPoints

    /// Makes the runtime of a process; unless set otherwise, with the system's clocks and no fail point.
    public init(
        logger: Logger, wallClock: WallClock = .system, clock: any Clock<Duration> = ContinuousClock(),
        metrics: Metrics = Metrics(), failPoints: FailPoints = .none
    ) {
        self.logger = logger
        self.wallClock = wallClock
        self.clock = clock
        self.metrics = metrics
        self.failPoints = failPoints
    }
}

// MARK: - Clocks

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
