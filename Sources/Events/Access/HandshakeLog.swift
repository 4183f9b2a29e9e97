import Operations
import ZeroMQ

/// Counts the handshakes that fail, and logs them.
struct HandshakeLog: Sendable {
    private let logger: SparingLogger
    private let counters: [HandshakeFailure.Reason: Counter]

    init(metrics: Metrics, logger: Logger) {
        self.logger = SparingLogger(logger)
        counters = metrics.counters(
            "marquee_handshakes_failed_total", "Connections that came to nothing before their first message, by why.",
            for: HandshakeFailure.Reason.allCases
        ) { ["reason": $0.rawValue] }
    }

    /// Takes a failure.
    func note(_ failure: HandshakeFailure) {
        counters[failure.reason]?.add()
        logger.warning(
            "a connection failed in its handshake",
            [
                .address: failure.address ?? "unknown", .reason: failure.reason.rawValue,
                .kind: failure.socket.rawValue, .key: failure.key,
            ])
    }
}
