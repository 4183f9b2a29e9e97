import Contract
import ServiceRuntime

/// The notifier's counters.
struct NotifierMetrics: Sendable {
    private let events: Counter
    private let repaired: Counter
    private let alerts: [AlertRule: Counter]

    /// Registers the counters.
    init(_ metrics: Metrics) {
        events = metrics.counter("marquee_events_read_total", "Events of the worker that the notifier read.")
        repaired = metrics.counter(
            "marquee_events_repaired_total", "Events that the live stream missed and that were read from the log.")
        alerts = metrics.counters("marquee_alerts_total", "Alerts decided, by rule.", for: AlertRule.allCases) {
            ["rule": $0.rawValue]
        }
    }

    /// Counts an event that was read.
    func countRead() {
        events.add()
    }

    /// Counts events that the live stream missed.
    func countRepaired(_ count: Int) {
        repaired.add(count)
    }

    /// Counts an alert that was written to the log.
    func countDecided(_ rule: AlertRule) {
        alerts[rule]?.add()
    }
}
