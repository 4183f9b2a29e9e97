import Concurrency

/// Logs what strangers can cause: at most one line a second, so that one who tries without end fills no disk.
public final class RateLimitedLogger: Sendable {
    private struct State {
        var last: Duration?
        var dropped = 0
    }

    private let logger: Logger
    private let age: Stopwatch
    private let state = Locked(State())

    /// Logs sparingly to `logger`.
    public init(_ logger: Logger, clock: some Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        age = Stopwatch(clock)
    }

    /// Logs what went wrong and was dealt with, and how many such lines there were none for (`dropped`); or not at all, if the
    /// last line is less than a second old.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> Logger.Metadata) {
        let dropped = state.withLock { state -> Int? in
            let now = age.elapsed
            if let last = state.last, now - last < .seconds(1) {
                state.dropped += 1
                return nil
            }
            defer { state = State(last: now) }
            return state.dropped
        }
        guard let dropped else { return }
        logger.with([.dropped: dropped > 0 ? dropped : nil]).warning(message, metadata())
    }
}
