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
    private var charts: [KoreanDate: LoggedChart] = [:]

    /// Makes a decider that knows nothing yet.
    public init(rules: AlertRules, since: KoreanDate? = nil) {
        self.rules = rules
        self.since = since
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
        let newest = max(newestDay ?? day, day)
        newestDay = newest
        // What no later decision can look at is not kept.
        if day >= (since ?? newest) - 1 { charts[day] = chart }
        if since == nil { charts = charts.filter { $0.key >= newest - 1 } }
        return true
    }

    private func alerts(of day: KoreanDate) -> [Alert] {
        guard let chart = charts[day] else { return [] }
        return rules.alerts(for: chart, before: charts[day - 1])
    }
}
