import Operations
import SQLite

/// What becomes of letters, sink by sink.
struct DeliveryMetrics: Sendable {
    private let sent: [String: Counter]
    private let failed: [String: Counter]
    private let dead: [String: Counter]

    /// Adds the figures of these sinks to the process's; what waits is read from the outbox.
    init(_ metrics: Metrics, sinks: [String], counts: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        sent = metrics.counters("marquee_letters_sent_total", "Letters that a sink took.", for: sinks) { ["sink": $0] }
        failed = metrics.counters(
            "marquee_letters_failed_total", "Attempts to deliver a letter that failed, and are made again.", for: sinks
        ) { ["sink": $0] }
        dead = metrics.counters(
            "marquee_letters_dead_total", "Letters that were given up: refused, or tried too often.", for: sinks
        ) { ["sink": $0] }
        metrics.gauges("marquee_deliveries_waiting", "Alerts that wait to be delivered.", by: "sink") {
            try await counts().mapValues { Double($0.waiting) }
        }
        metrics.gauges("marquee_deliveries_dead", "Alerts in dead letters, which can be sent again.", by: "sink") {
            try await counts().mapValues { Double($0.dead) }
        }
    }

    /// An attempt has ended so.
    func count(_ outcome: Outbox.Outcome, for sink: String) {
        switch outcome {
        case .sent: sent[sink]?.add()
        case .again: failed[sink]?.add()
        case .dead: dead[sink]?.add()
        }
    }
}
