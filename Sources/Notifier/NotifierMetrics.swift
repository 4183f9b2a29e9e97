import Contract
import Operations

/// What the notifier counts as it goes.
struct NotifierMetrics: Sendable {
    private let events: Counter
    private let repaired: Counter
    private let alerts: [AlertRule: Counter]

    /// Adds the notifier's figures to the process's.
    init(_ metrics: Metrics) {
        events = metrics.counter("marquee_events_read_total", "The worker's events that were read, each once.")
        repaired = metrics.counter(
            "marquee_events_repaired_total", "Events that were missed when they were sent, and were read from the log.")
        alerts = metrics.counters("marquee_alerts_total", "Alerts decided, by their rule.", for: AlertRule.allCases) {
            ["rule": $0.rawValue]
        }
    }

    /// An event was read.
    func read() {
        events.add()
    }

    /// Events that were missed have been read from the worker's log.
    func repair(_ count: Int) {
        repaired.add(count)
    }

    /// An alert is in the log.
    func decide(_ rule: AlertRule) {
        alerts[rule]?.add()
    }
}
