import Events
import Operations

/// What the notifier counts as it goes.
struct NotifierMetrics: Sendable {
    private let events: Counter
    private let alerts: [AlertRule: Counter]

    /// Adds the notifier's figures to the process's.
    init(_ metrics: Metrics) {
        events = metrics.counter("marquee_events_read_total", "The worker's events that came, repeated ones too.")
        alerts = metrics.counters("marquee_alerts_total", "Alerts decided, by their rule.", for: AlertRule.allCases) {
            ["rule": $0.rawValue]
        }
    }

    /// Events have come.
    func read(_ count: Int) {
        events.add(count)
    }

    /// An alert is in the log.
    func decide(_ rule: AlertRule) {
        alerts[rule]?.add()
    }
}
