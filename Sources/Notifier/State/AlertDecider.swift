import BoxOffice

/// Decides which alerts a chart fires and which it retracts, from what was known when the chart came.
///
/// What fires depends on days, not on the order in which their charts come: a rule fires for a day only once all days
/// that it rests on are known, so a chart that fills a gap makes alerts true and none untrue. A live chart fires what it
/// makes true of the newest eight days, of whichever day it is itself. Any other chart changes what is known and fires
/// nothing. Only a later revision of a known chart retracts: the alerts that it makes untrue, on whichever day.
///
/// An alert fires once and is retracted at most once: it does not fire again if a further correction restores what it
/// said.
///
/// See docs/decisions/alert-retractions.md and docs/decisions/alerts-by-days.md.
struct AlertDecider: Sendable {
    /// How many days before the newest one still fire.
    static let daysBeforeNewest = 7

    private let rules: AlertRules
    /// The state of each market that a rule is about.
    private(set) var marketStates: [Market: MarketState]

    /// Makes a decider with these states; markets without one begin empty.
    ///
    /// - Parameter since: the day since which all days stay open, so that `decideHistory(since:)` can decide them.
    init(rules: AlertRules, since: KoreanDate? = nil, marketStates: [Market: MarketState] = [:]) {
        self.rules = rules
        self.marketStates = marketStates
        for market in rules.markets where marketStates[market] == nil {
            self.marketStates[market] = MarketState(market: market, since: since)
        }
    }

    /// The newest day with a known chart of the whole market.
    var newestDay: KoreanDate? { marketStates[.all]?.newestDay }

    /// Applies a chart and returns the alerts to publish, in their order: first retractions, then new alerts by day.
    ///
    /// - Parameters:
    ///   - json: the JSON that the chart was read from, if it is at hand.
    ///   - isLive: whether a live request brought the chart; otherwise it fires nothing.
    mutating func apply(_ chart: SourcedChart, json: [UInt8]? = nil, isLive: Bool = true) -> [Alert] {
        // Removed from the dictionary while it changes, so that it is not copied.
        guard var state = marketStates.removeValue(forKey: chart.chart.market) else { return [] }
        defer { marketStates[chart.chart.market] = state }
        let day = chart.chart.date
        let newest = max(state.newestDay ?? day, day)
        // A chart that is older may be the last one that an alert of these days has waited for.
        let first = max(day, newest - Self.daysBeforeNewest)
        let days = isLive ? Array(first.dayNumber...newest.dayNumber) : []
        func alerts() -> [Alert] {
            days.flatMap { rules.alerts(of: KoreanDate(dayNumber: $0), in: state) }
        }
        let isRevision = state.days[day] != nil
        let before = Set(isRevision || day < newest ? alerts().map(\.id) : [])
        state.insert(chart, json: json)
        let refuted = isRevision ? rules.refutedAlerts(after: chart, in: state) : []
        for alert in refuted { state.recordRetraction(of: alert) }
        var fired = alerts().filter { !before.contains($0.id) && state.record($0) }
        if isLive { fired += rules.corrections(by: chart, in: state).filter { state.record($0) } }
        return refuted.map { $0.retracted(by: chart) } + fired
    }

    /// Returns the alerts of all known days from `since` on, as if each day's chart had come in its order, as it is now.
    ///
    /// Afterwards only the newest days are kept open.
    mutating func decideHistory(since: KoreanDate) -> [Alert] {
        defer { endHistory() }
        return decideHistory(of: historyDays(since: since)[...])
    }

    /// The known days from `since` on, in the order in which their alerts are decided.
    func historyDays(since: KoreanDate) -> [MarketDay] {
        marketStates.keys.sorted { $0.description < $1.description }.flatMap { market -> [MarketDay] in
            let days = marketStates[market]?.days.keys.filter { $0 >= since } ?? []
            return days.sorted().map { MarketDay(market: market, day: $0) }
        }
    }

    /// Returns the alerts of these days, which are some of `historyDays(since:)`: decide all of them, in their order, and
    /// then call `endHistory()`.
    mutating func decideHistory(of days: ArraySlice<MarketDay>) -> [Alert] {
        var alerts: [Alert] = []
        for day in days {
            guard var state = marketStates.removeValue(forKey: day.market) else { continue }
            alerts += rules.alerts(of: day.day, in: state).filter { state.record($0) }
            marketStates[day.market] = state
        }
        return alerts
    }

    /// A day of a market.
    struct MarketDay: Hashable, Sendable {
        let market: Market
        let day: KoreanDate
    }

    /// Lets days that only `since` kept open be settled.
    mutating func endHistory() {
        for market in marketStates.keys { marketStates[market]?.endHistory() }
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

    /// Whether a recent day's chart is known, so that a further one is a revision that may retract alerts.
    func isRecent(_ day: KoreanDate, in market: Market) -> Bool {
        marketStates[market]?.days[day] != nil
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
