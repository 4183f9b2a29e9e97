public import BoxOffice

/// Decides which alerts a chart fires, from the charts that were known when it came.
///
/// Takes charts in the order of the log. A chart of a day that is older than the newest day known changes what is known
/// and fires nothing, so that history causes no storm. A later revision of the newest day is evaluated again: what it
/// fires anew has the ids it had, and whoever publishes leaves out ids that are published.
///
/// With `since`, what counts is the day alone: charts of that day and later ones fire in whatever order they come, and a
/// chart that comes after the one of the day that follows it lets that day's be evaluated, too.
public struct AlertDecider: Sendable {
    /// The newest day of which a chart is known.
    public private(set) var newestDay: KoreanDate?

    private let rules: AlertRules
    private let since: KoreanDate?
    private var known: [KoreanDate: LoggedChart] = [:]

    /// Makes a decider that knows no chart yet; `newestDay` is that of charts that it need not know.
    public init(rules: AlertRules, since: KoreanDate? = nil, newestDay: KoreanDate? = nil) {
        self.rules = rules
        self.since = since
        self.newestDay = newestDay
    }

    /// The first day whose chart a later decision can look at; nil as long as any can.
    public var horizon: KoreanDate? {
        (since ?? newestDay).map { $0 - 1 }
    }

    /// The charts that a later decision can look at, oldest first.
    public var charts: [LoggedChart] {
        known.values.sorted { $0.chart.date < $1.chart.date }
    }

    /// Takes a chart and returns the alerts to publish, in their order.
    public mutating func take(_ chart: LoggedChart) -> [Alert] {
        guard learn(chart) else { return [] }
        let day = chart.chart.date
        if let since {
            return [day, day + 1].filter { $0 >= since }.flatMap(alerts)
        }
        return day == newestDay ? alerts(of: day) : []
    }

    /// Takes a chart that was decided on before, as after a restart; returns whether it says anything about its day.
    ///
    /// Only the whole market's charts do.
    @discardableResult
    public mutating func learn(_ chart: LoggedChart) -> Bool {
        guard chart.chart.market == .all else { return false }
        let day = chart.chart.date
        newestDay = max(newestDay ?? day, day)
        known[day] = chart
        // What no later decision can look at is not kept.
        if let horizon, let first = known.keys.min(), first < horizon { known = known.filter { $0.key >= horizon } }
        return true
    }

    /// Forgets all charts, as when they turn out to be another log's; what is older than the newest day stays old.
    public mutating func forget() {
        known = [:]
    }

    private func alerts(of day: KoreanDate) -> [Alert] {
        guard let chart = known[day] else { return [] }
        return rules.alerts(for: chart, before: known[day - 1])
    }
}
