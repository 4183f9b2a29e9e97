import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import OpenMarket

/// All that the notifier must know to continue after a restart: how far it has read, and the state that decisions rest on.
///
/// It is large and is changed in place. ``drainChanges()`` returns what has to be written.
struct AlertState: Sendable {
    /// The charts that decisions rest on.
    var decider: AlertDecider
    /// The known products; nil if no rule is about products.
    private(set) var productStates: ProductStates?
    /// How far the worker's log has been read; nil before the first event.
    var position: LogCursor?
    /// The day since which the notifier was asked for alerts, if it was.
    let since: KoreanDate?
    /// When the first notifier with this database was started.
    let began: Date
    /// The events that fire nothing.
    private(set) var baseline: BaselinePosition

    /// Makes a state.
    init(
        decider: AlertDecider, productStates: ProductStates? = nil, position: LogCursor? = nil, since: KoreanDate?,
        began: Date, baseline: BaselinePosition
    ) {
        self.decider = decider
        self.productStates = productStates
        self.position = position
        self.since = since
        self.began = began
        self.baseline = baseline
    }

    /// Where to start reading the worker's log.
    var start: Subscription.Start { position.map { .after($0) } ?? .beginning }

    /// Applies a chart and returns the decisions on it.
    ///
    /// - Throws: `DecodingError` if the event holds no chart.
    mutating func applyChart(
        of day: KoreanDate, _ market: Market, from event: Event
    ) throws(DecodingError) -> [Decision] {
        let json = try event.data(as: JSONValue.self)
        let evidence = Alert.Evidence(event)
        if baseline.includes(event, began: began) {
            // A day that is decided later is read whole now, and not once more then.
            if isHistoryPending, let since, day >= since - 1, let chart = try? Chart(json: json) {
                decider.applyBaseline(SourcedChart(chart, evidence: evidence))
            } else {
                decider.applyBaseline(try RecentChart(json, of: day, evidence: evidence), of: market)
            }
            return []
        }
        if event.priority == .backfill, !decider.isRecent(day, in: market) {
            decider.applyBaseline(try RecentChart(json, of: day, evidence: evidence), of: market)
            return []
        }
        let chart = SourcedChart(try Chart(json: json), evidence: evidence)
        return decider.apply(chart, json: json.bytes, isLive: event.priority == .live)
            .map { Decision(alert: $0, event: event) }
    }

    /// Applies an anomaly and returns the decisions on it. One of the baseline or of a backfill fires nothing, also with
    /// `since`.
    mutating func apply(_ anomaly: Anomaly, from event: Event) -> [Decision] {
        guard !baseline.includes(event, began: began), event.priority == .live else { return [] }
        return decider.alerts(about: anomaly, evidence: Alert.Evidence(event))
            .map { Decision(alert: $0, event: event) }
    }

    /// Applies products and returns the decisions on those that changed. Products of the baseline fire nothing.
    mutating func apply(_ products: [Product], from event: Event) -> [Decision] {
        decide(on: productStates?.apply(products, at: event.time) ?? [], from: event)
    }

    /// Applies the removal of a product and returns the decisions on it.
    mutating func apply(_ removed: RemovedProduct, from event: Event) -> [Decision] {
        decide(on: productStates?.apply(removed, at: event.time) ?? [], from: event)
    }

    private mutating func decide(on observations: [ProductObservation], from event: Event) -> [Decision] {
        guard let productStates, !baseline.includes(event, began: productStates.began), event.priority == .live else {
            return []
        }
        return decider.alerts(
            about: observations, on: KoreanDate(at: event.time), evidence: Alert.Evidence(event)
        ).map { Decision(alert: $0, event: event) }
    }

    /// Ends the baseline at `position`, because all events published so far have been read.
    mutating func closeBaseline(at position: LogCursor) {
        baseline.close(at: position, alsoFor: productStates == nil ? [] : ProductStates.streams)
    }

    /// Starts again with an empty state: the worker has another log, and none of its events are baseline.
    mutating func startNewLog() {
        decider.reset()
        decider.endHistory()
        productStates?.reset()
        baseline = .none
    }
}

// MARK: - History

extension AlertState {
    /// Whether the days from `since` on have yet to be decided: they are at the end of the baseline.
    var isHistoryPending: Bool { since != nil && baseline.ends[.ranking] == nil }

    /// Whether the days from `since` on are to be decided before this item is applied: it ends the baseline of charts.
    func endsPendingHistory(_ item: Subscription.Item) -> Bool {
        guard isHistoryPending else { return false }
        switch item {
        case .event(let event):
            guard case .ranking(_, let market) = event.topic, decider.marketStates[market] != nil else { return false }
            var baseline = baseline
            return !baseline.includes(event, began: began)
        case .live: return true
        case .newLog: return false
        }
    }

    /// The known days from `since` on, in the order in which they are decided.
    var historyDays: [AlertDecider.MarketDay] { since.map { decider.historyDays(since: $0) } ?? [] }

    /// Returns the decisions on some of `historyDays`, as if each day's chart had come in its order. They are published but
    /// not delivered, because they are old news.
    mutating func decideHistory(of days: ArraySlice<AlertDecider.MarketDay>) -> [Decision] {
        decider.decideHistory(of: days).map { Decision(alert: $0, event: nil) }
    }

    /// Lets days that only `since` kept open be settled, after all days of history are decided.
    mutating func endHistory() {
        decider.endHistory()
    }
}

/// An alert that was decided, and the live event that led to it.
///
/// A class, because it is large and passed on often.
final class Decision: Sendable {
    /// The alert.
    let alert: Alert
    /// The alert's id, computed once.
    let id: String
    /// The event that led to it; nil for an alert of history, which no sink gets.
    let event: Event?

    /// Makes a decision.
    init(alert: Alert, event: Event?) {
        self.alert = alert
        id = alert.id
        self.event = event
    }
}

extension Alert.Evidence {
    /// Names an event.
    init(_ event: Event) {
        self.init(stream: event.stream, sequence: event.sequence)
    }
}

// MARK: - Changes

extension AlertState {
    /// The changes to write after a batch of events.
    struct Changes: Sendable {
        /// How far the log has been read.
        let position: LogCursor?
        let since: KoreanDate?
        let began: Date
        let baseline: BaselinePosition
        /// The changes of each market.
        let markets: [Market]
        /// The changes of the products, if any rule is about products.
        let products: ProductStates.Changes?

        /// The changes of a market.
        struct Market: Sendable {
            let market: BoxOffice.Market
            /// Whether all rows written before are to be deleted.
            let isReset: Bool
            let newestDay: KoreanDate?
            /// The leaders of the known days that changed.
            let leaders: [KoreanDate: MovieCode?]
            /// The first day that a correction can still change.
            let horizon: KoreanDate?
            /// Charts of days that a correction can still change.
            let charts: [RecentChart]
            /// The movies whose settled totals changed.
            let movies: [MovieCode: MovieState]
        }
    }

    /// Returns the changes since the last call.
    mutating func drainChanges() -> Changes {
        Changes(
            position: position, since: since, began: began, baseline: baseline,
            markets: decider.drainChanges().map { market, changes in
                let state = decider.marketStates[market] ?? MarketState(market: market)
                return Changes.Market(
                    market: market, isReset: changes.isReset, newestDay: state.newestDay,
                    leaders: changes.leaders.reduce(into: [:]) { $0[$1] = state.knownDays[$1] },
                    horizon: state.horizon,
                    charts: changes.days.sorted().compactMap { state.days[$0] },
                    movies: changes.movies.reduce(into: [:]) { $0[$1] = state.movies[$1] })
            }, products: productStates?.drainChanges())
    }
}
