import BoxOffice

/// Decides which alerts a chart fires and which it retracts, from what was known when the chart came.
///
/// Charts are applied in the order of the log. A chart of a day before the newest known day changes the state and fires
/// nothing, so that a backfill causes no storm of alerts; but it retracts alerts that it disproves. A later revision of
/// the newest day is evaluated again. An alert fires once and is retracted at most once: it does not fire again if a
/// further correction restores what it said.
///
/// With `since`, only the day counts: charts of that day and of later days fire in any order, and a chart that comes
/// after the chart of the following day makes that day be evaluated too.
///
/// See docs/decisions/0016-alert-retractions.md.
struct AlertDecider: Sendable {
    private let rules: AlertRules
    private let since: KoreanDate?
    /// The state of each market that a rule is about.
    private(set) var marketStates: [Market: MarketState]

    /// Makes a decider with these states; markets without one begin empty.
    init(rules: AlertRules, since: KoreanDate? = nil, marketStates: [Market: MarketState] = [:]) {
        self.rules = rules
        self.since = since
        self.marketStates = marketStates
        for market in rules.markets where marketStates[market] == nil {
            self.marketStates[market] = MarketState(market: market, since: since)
        }
    }

    /// The newest day with a known chart of the whole market.
    var newestDay: KoreanDate? { marketStates[.all]?.newestDay }

    /// Applies a chart and returns the alerts to publish, in their order: first retractions, then new alerts.
    ///
    /// - Parameter json: the JSON that the chart was read from, if it is at hand.
    mutating func apply(_ chart: SourcedChart, json: [UInt8]? = nil) -> [Alert] {
        // Removed from the dictionary while it changes, so that it is not copied.
        guard var state = marketStates.removeValue(forKey: chart.chart.market) else { return [] }
        defer { marketStates[chart.chart.market] = state }
        state.insert(chart, json: json)
        let day = chart.chart.date
        let retractions = rules.retractions(after: chart, in: state)
        for alert in retractions { state.record(alert) }
        var fired: [Alert] = []
        for day in days(firedBy: day, in: state) {
            fired += rules.alerts(of: day, in: state).filter { state.record($0) }
        }
        if state.newestDay != day, since == nil {
            for alert in rules.corrections(by: chart, in: state) {
                state.record(alert)
                fired.append(alert)
            }
        }
        return retractions + fired
    }

    /// Returns the days whose alerts may fire after a chart of `day`.
    private func days(firedBy day: KoreanDate, in state: MarketState) -> [KoreanDate] {
        if let since { return [day, day + 1].filter { $0 >= since } }
        return day == state.newestDay ? [day] : []
    }

    /// Returns the alert about an anomaly, if its rule is in force.
    func alerts(about anomaly: Anomaly, evidence: Alert.Evidence) -> [Alert] {
        rules.alert(about: anomaly, evidence: evidence).map { [$0] } ?? []
    }

    /// Returns the alerts about products that changed.
    func alerts(
        about observations: [ProductObservation], on date: KoreanDate, evidence: Alert.Evidence
    ) -> [Alert] {
        rules.alerts(about: observations, on: date, evidence: evidence)
    }

    /// Applies a chart of the baseline, which fires nothing.
    mutating func applyBaseline(_ chart: SourcedChart) {
        applyBaseline(RecentChart(chart), of: chart.chart.market)
    }

    /// Applies a chart of the baseline of a market, of which only a part was read.
    mutating func applyBaseline(_ chart: RecentChart, of market: Market) {
        marketStates[market]?.insert(chart)
    }

    /// Removes all charts, as when the worker has another log; days up to the newest one still fire nothing.
    mutating func reset() {
        for market in marketStates.keys { marketStates[market]?.reset() }
    }

    /// Returns the changes since the last call, by market.
    mutating func drainChanges() -> [Market: MarketState.Changes] {
        var changes: [Market: MarketState.Changes] = [:]
        for market in marketStates.keys { changes[market] = marketStates[market]?.drainChanges() }
        return changes
    }
}
