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
