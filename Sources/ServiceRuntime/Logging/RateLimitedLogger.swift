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

    /// Logs a warning, unless the last line is less than a second old.
    ///
    /// The next line that is logged has the number of those that were not, as `dropped`.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        admitted()?.warning(message, metadata())
    }

    /// Logs something that could not be done, unless the last line is less than a second old; see ``warning(_:_:)``.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        admitted()?.error(message, metadata())
    }

    /// Returns the logger for a line; nil if the line is dropped.
    private func admitted() -> Logger? {
        let dropped = state.withLock { state -> Int? in
            let now = stopwatch.elapsed
            if let last = state.lastLine, now - last < .seconds(1) {
                state.dropped += 1
                return nil
            }
            defer { state = State(lastLine: now) }
            return state.dropped
        }
        return dropped.map { logger.with([.dropped: $0 > 0 ? $0 : nil]) }
    }
}
