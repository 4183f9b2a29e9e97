import Operations
import ZeroMQ

/// Counts and logs the connections whose handshake fails, and those that are cut off.
struct ConnectionAuditLog: Sendable {
    private let logger: RateLimitedLogger
    private let failed: [HandshakeFailure.Reason: Counter]
    private let cut: [DroppedConnection.Reason: Counter]

    init(metrics: Metrics, logger: Logger) {
        self.logger = RateLimitedLogger(logger)
        failed = metrics.counters(
            "marquee_handshakes_failed_total", "Connections that came to nothing before their first message, by why.",
            for: HandshakeFailure.Reason.allCases
        ) { ["reason": $0.rawValue] }
        cut = metrics.counters(
            "marquee_connections_cut_total",
            "Connections cut off for a message without an end, or for answers left unread.",
            for: DroppedConnection.Reason.allCases
        ) { ["reason": $0.rawValue] }
    }

    /// Takes a handshake that failed.
    func note(_ failure: HandshakeFailure) {
        failed[failure.reason]?.add()
        logger.warning(
            "a connection failed in its handshake",
            [
                .address: failure.address ?? "unknown", .reason: failure.reason.rawValue,
                .kind: failure.socket.rawValue, .key: failure.key,
            ])
    }

    /// Takes a connection that was cut off.
    func note(_ connection: DroppedConnection) {
        cut[connection.reason]?.add()
        logger.warning(
            "a connection was cut off",
            [
                .address: connection.address ?? "unknown", .reason: connection.reason.rawValue,
                .kind: connection.socket.rawValue,
            ])
    }
}
