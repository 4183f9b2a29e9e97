import Concurrency
import ServiceRuntime

/// The counters of messages, by sink.
struct DeliveryMetrics: Sendable {
    private struct Counts {
        var sent = 0.0
        var failed = 0.0
        var dead = 0.0
    }

    private let counts = Locked<[String: Counts]>([:])

    /// Registers the counters.
    ///
    /// - Parameter deliveries: reads the number of deliveries in each state from the outbox.
    init(_ metrics: Metrics, deliveries: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        metrics.counters("marquee_messages_sent_total", "Messages that the sink accepted.", by: "sink") { [counts] in
            counts.withLock { $0.mapValues(\.sent) }
        }
        metrics.counters(
            "marquee_messages_failed_total", "Failed attempts to deliver a message that will be retried.", by: "sink"
        ) { [counts] in
            counts.withLock { $0.mapValues(\.failed) }
        }
        metrics.counters(
            "marquee_messages_dead_total", "Messages given up: rejected by the sink, or out of attempts.", by: "sink"
        ) { [counts] in
            counts.withLock { $0.mapValues(\.dead) }
        }
        metrics.gauges("marquee_deliveries_waiting", "Alerts waiting to be delivered.", by: "sink") {
            try await deliveries().mapValues { Double($0.waiting) }
        }
        metrics.gauges(
            "marquee_deliveries_dead", "Alerts in dead letters; `marquee notify retry` sends them again.", by: "sink"
        ) {
            try await deliveries().mapValues { Double($0.dead) }
        }
    }

    /// Adds zeros for sinks that are new.
    func add(_ sinks: [String]) {
        counts.withLock { $0.merge(sinks.map { ($0, Counts()) }) { former, _ in former } }
    }

    func count(_ outcome: Outbox.Outcome, for sink: String) {
        counts.withLock { counts in
            switch outcome {
            case .sent: counts[sink, default: Counts()].sent += 1
            case .retry: counts[sink, default: Counts()].failed += 1
            case .dead: counts[sink, default: Counts()].dead += 1
            }
        }
    }
}
