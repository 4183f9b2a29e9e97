import Concurrency

/// Logs events that clients can cause, at most one line per second, so that a flood of them does not fill the disk.
public final class RateLimitedLogger: Sendable {
    private struct State {
        var lastLine: Duration?
        var dropped = 0
    }

    private let logger: Logger
    private let stopwatch: Stopwatch
    private let state = Locked(State())

    /// Makes a limiter in front of `logger`.
    public init(_ logger: Logger, clock: some Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        stopwatch = Stopwatch(clock)
    }

    /// Logs a warning, unless the last one is less than a second old.
    ///
    /// The next line that is logged has the number of those that were not, as `dropped`.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        let dropped = state.withLock { state -> Int? in
            let now = stopwatch.elapsed
            if let last = state.lastLine, now - last < .seconds(1) {
                state.dropped += 1
                return nil
            }
            defer { state = State(lastLine: now) }
            return state.dropped
        }
        guard let dropped else { return }
        logger.with([.dropped: dropped > 0 ? dropped : nil]).warning(message, metadata())
    }
}
