import Contract
public import Operations

extension Publisher {
    /// Adds what it sends, and how far the log has come, to the process's figures.
    public func report(to metrics: Metrics) {
        metrics.counters(
            "marquee_events_published_total", "Events published, those sent again among them.", by: "stream"
        ) {
            // A stream that the log has counts from zero, so that its first event is seen as an increase.
            Self.byName(self.sent.streams.mapValues { Double($0.events) })
        }
        metrics.gauges("marquee_log_position", "The sequence of a stream's newest event.", by: "stream") {
            Self.byName(self.sent.streams.mapValues { Double($0.position.value) })
        }
        metrics.counter("marquee_heartbeats_total", "Heartbeats published.") { Double(self.sent.heartbeats) }
    }

    private static func byName(_ figures: [Stream: Double]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: figures.map { ($0.rawValue, $1) })
    }
}
