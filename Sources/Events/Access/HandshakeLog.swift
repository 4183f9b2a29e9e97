import Locking
import Operations
import ZeroMQ

/// Counts the handshakes that fail, and logs them; a stranger who tries without end fills no disk.
final class HandshakeLog: Sendable {
    private struct State {
        var second: Duration?
        var unlogged = 0
    }

    private let logger: Logger
    private let counters: [HandshakeFailure.Reason: Counter]
    private let age: Stopwatch
    private let state = Locked(State())

    init(metrics: Metrics, logger: Logger, clock: any Clock<Duration> = ContinuousClock()) {
        self.logger = logger
        age = Stopwatch(clock)
        counters = metrics.counters(
            "marquee_handshakes_failed_total", "Connections that came to nothing before their first message, by why.",
            for: HandshakeFailure.Reason.allCases
        ) { ["reason": $0.rawValue] }
    }

    /// Takes a failure; at most one a second is logged, with how many were not.
    func note(_ failure: HandshakeFailure) {
        counters[failure.reason]?.add()
        let unlogged = state.withLock { state -> Int? in
            let now = age.elapsed
            if let second = state.second, now - second < .seconds(1) {
                state.unlogged += 1
                return nil
            }
            defer { state = State(second: now) }
            return state.unlogged
        }
        guard let unlogged else { return }
        logger.warning(
            "a connection failed in its handshake",
            [
                .address: failure.address ?? "unknown", .reason: failure.reason.rawValue,
                .kind: failure.socket.rawValue, .key: failure.key, .dropped: unlogged > 0 ? unlogged : nil,
            ])
    }
}
