import Concurrency
import ServiceRuntime

/// The counters of messages, by sink.
struct DeliveryMetrics: Sendable {
    private let sent = Locked<[String: Double]>([:])
    private let failed = Locked<[String: Double]>([:])
    private let dead = Locked<[String: Double]>([:])

    /// Registers the counters.
    ///
    /// - Parameter counts: reads the number of deliveries in each state from the outbox.
    init(_ metrics: Metrics, counts: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        metrics.counters("marquee_messages_sent_total", "Messages that the sink accepted.", by: "sink") { [sent] in
            sent.withLock { $0 }
        }
        metrics.counters(
            "marquee_messages_failed_total", "Failed attempts to deliver a message that will be retried.", by: "sink"
        ) { [failed] in
            failed.withLock { $0 }
        }
        metrics.counters(
            "marquee_messages_dead_total", "Messages given up: rejected by the sink, or out of attempts.", by: "sink"
        ) { [dead] in
            dead.withLock { $0 }
        }
        metrics.gauges("marquee_deliveries_waiting", "Alerts waiting to be delivered.", by: "sink") {
            try await counts().mapValues { Double($0.waiting) }
        }
        metrics.gauges(
            "marquee_deliveries_dead", "Alerts in dead letters; `marquee notify retry` sends them again.", by: "sink"
        ) {
            try await counts().mapValues { Double($0.dead) }
        }
    }

    /// Adds zeros for sinks that are new.
    func add(_ sinks: [String]) {
        for counts in [sent, failed, dead] {
            counts.withLock { counts in
                for sink in sinks { counts[sink, default: 0] += 0 }
            }
        }
    }

    func count(_ outcome: Outbox.Outcome, for sink: String) {
        let counts =
            switch outcome {
            case .sent: sent
            case .retry: failed
            case .dead: dead
            }
        counts.withLock { $0[sink, default: 0] += 1 }
    }
}
