import Concurrency
import ServiceRuntime

/// The counters of messages, by sink.
struct DeliveryMetrics: Sendable {
    /// What became of a sink's messages.
    private struct Tally {
        var sent = 0
        var failed = 0
        var dead = 0
    }

    private let tallies: Locked<[String: Tally]>

    /// Registers the counters, with zeros for these sinks.
    ///
    /// - Parameter counts: reads the number of deliveries in each state from the outbox.
    init(_ metrics: Metrics, sinks: [String], counts: @escaping @Sendable () async throws -> [String: SinkCounts]) {
        tallies = Locked([:])
        add(sinks)
        metrics.counters("marquee_messages_sent_total", "Messages that the sink accepted.", by: "sink") {
            [tallies] in tallies.withLock { $0.mapValues { Double($0.sent) } }
        }
        metrics.counters(
            "marquee_messages_failed_total", "Failed attempts to deliver a message that will be retried.", by: "sink"
        ) { [tallies] in
            tallies.withLock { $0.mapValues { Double($0.failed) } }
        }
        metrics.counters(
            "marquee_messages_dead_total", "Messages given up: rejected by the sink, or out of attempts.", by: "sink"
        ) { [tallies] in
            tallies.withLock { $0.mapValues { Double($0.dead) } }
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
        tallies.withLock { tallies in
            for sink in sinks { tallies[sink, default: Tally()].sent += 0 }
        }
    }

    /// Counts the outcome of an attempt.
    func count(_ outcome: Outbox.Outcome, for sink: String) {
        tallies.withLock { tallies in
            switch outcome {
            case .sent: tallies[sink, default: Tally()].sent += 1
            case .retry: tallies[sink, default: Tally()].failed += 1
            case .dead: tallies[sink, default: Tally()].dead += 1
            }
        }
    }
}
