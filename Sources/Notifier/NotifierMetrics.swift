import Contract
import ServiceRuntime

/// The notifier's counters.
struct NotifierMetrics: Sendable {
    /// The events of the worker that were read.
    let events: Counter
    /// The events that the live stream missed.
    let repaired: Counter
    /// The alerts that were written to the log, by rule.
    let alerts: [AlertRule: Counter]

    init(_ metrics: Metrics) {
        events = metrics.counter("marquee_events_read_total", "Events of the worker that the notifier read.")
        repaired = metrics.counter(
            "marquee_events_repaired_total", "Events that the live stream missed and that were read from the log.")
        alerts = metrics.counters("marquee_alerts_total", "Alerts decided, by rule.", for: AlertRule.allCases) {
            ["rule": $0.rawValue]
        }
    }
}
