import BoxOffice
public import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import OpenMarket

/// All that the notifier must know to continue after a restart. Large, and changed in place.
struct AlertState: Sendable {
    private let rules: AlertRules
    private(set) var markets: [Market: MarketState]
    /// The known products; nil if no rule is about products.
    private(set) var productStates: ProductStates?
    /// How far the worker's log has been read; nil before the first event.
    var position: LogCursor?
    /// The day since which the notifier was asked for alerts, if it was.
    let since: KoreanDate?
    /// When the first notifier with this database was started.
    let began: Date
    private(set) var baseline: BaselinePosition

    /// Markets that are not known begin empty, with all days from `since` on open.
    init(
        rules: AlertRules, markets: [Market: MarketState] = [:], productStates: ProductStates? = nil,
        position: LogCursor? = nil, since: KoreanDate? = nil, began: Date = .distantPast,
        baseline: BaselinePosition = .none
    ) {
        self.rules = rules
        self.markets = markets
        self.productStates = productStates
        self.position = position
        self.since = since
        self.began = began
        self.baseline = baseline
        for market in rules.markets where markets[market] == nil {
            self.markets[market] = MarketState(market: market, since: since)
        }
    }

    var newestDay: KoreanDate? { markets[.all]?.newestDay }

    mutating func applyChart(
        of day: KoreanDate, _ market: Market, from event: Event
    ) throws(DecodingError) -> [Decision] {
        let json = try event.data(as: JSONValue.self)
        let evidence = Alert.Evidence(event)
        let isBaseline = baseline.includes(event, began: began)
        // A day that is decided later is read whole now, and not once more then.
        if isBaseline, isHistoryPending, let since, day >= since - 1, let chart = try? Chart(json: json) {
            applyBaseline(SourcedChart(chart: chart, evidence: evidence))
            return []
        }
        // Only a revision of a recent chart retracts: any other of a backfill need not be read whole.
        if isBaseline || event.priority == .backfill && markets[market]?.days[day] == nil {
            markets[market]?.insert(try RecentChart(json, of: day, evidence: evidence))
            return []
        }
        let chart = SourcedChart(chart: try Chart(json: json), evidence: evidence)
        return apply(chart, json: json.bytes, isLive: event.priority == .live)
            .map { Decision(alert: $0, event: event) }
    }

    /// Applies a chart and returns the alerts to publish, in their order; see ``MarketState``.
    mutating func apply(_ chart: SourcedChart, json: [UInt8]? = nil, isLive: Bool = true) -> [Alert] {
        markets[chart.chart.market]?.apply(chart, json: json, isLive: isLive, by: rules) ?? []
    }

    mutating func applyBaseline(_ chart: SourcedChart) {
        markets[chart.chart.market]?.insert(RecentChart(chart))
    }

    /// Applies an anomaly and returns the decisions on it. One of the baseline or of a backfill fires nothing, also with
    /// `since`.
    mutating func apply(_ anomaly: Anomaly, from event: Event) -> [Decision] {
        guard !baseline.includes(event, began: began), event.priority == .live else { return [] }
        return rules.alert(about: anomaly, evidence: Alert.Evidence(event))
            .map { [Decision(alert: $0, event: event)] } ?? []
    }

    mutating func apply(_ products: [Product], from event: Event) -> [Decision] {
        decide(on: productStates?.apply(products, at: event.time) ?? [], from: event)
    }

    mutating func apply(_ removed: RemovedProduct, from event: Event) -> [Decision] {
        decide(on: productStates?.apply(removed, at: event.time) ?? [], from: event)
    }

    private mutating func decide(on observations: [ProductObservation], from event: Event) -> [Decision] {
        guard let productStates, !baseline.includes(event, began: productStates.began), event.priority == .live else {
            return []
        }
        return rules.alerts(
            about: observations, on: KoreanDate(at: event.time), evidence: Alert.Evidence(event)
        ).map { Decision(alert: $0, event: event) }
    }

    /// Ends the baseline at `position`, because all events published so far have been read.
    mutating func closeBaseline(at position: LogCursor) {
        baseline.close(at: position, alsoFor: productStates == nil ? [] : ProductStates.streams)
    }

    /// Starts again without charts: the worker has another log, and none of its events are baseline. Days up to the newest
    /// one still fire nothing.
    mutating func startNewLog() {
        for market in rules.markets { markets[market]?.reset() }
        endHistory()
        productStates?.reset()
        baseline = .none
    }

    // MARK: History

    /// Whether the days from `since` on have yet to be decided: they are at the end of the baseline.
    var isHistoryPending: Bool { since != nil && baseline.ends[.ranking] == nil }

    /// Whether the days from `since` on are to be decided before this item is applied: it ends the baseline of charts.
    func endsPendingHistory(_ item: Subscription.Item) -> Bool {
        guard isHistoryPending else { return false }
        switch item {
        case .event(let event):
            guard case .ranking(_, let market) = event.topic, markets[market] != nil else { return false }
            var baseline = baseline
            return !baseline.includes(event, began: began)
        case .live: return true
        case .newLog: return false
        }
    }

    /// The known days from `since` on, in the order in which they are decided.
    var historyDays: [MarketDay] {
        guard let since else { return [] }
        return markets.values.sorted { $0.market.description < $1.market.description }.flatMap { state in
            state.days.keys.filter { $0 >= since }.sorted().map { (market: state.market, day: $0) }
        }
    }

    typealias MarketDay = (market: Market, day: KoreanDate)

    /// Returns the decisions on some of `historyDays`: decide all of them, in their order, and then call `endHistory()`. They
    /// are published but not delivered, because they are old news.
    mutating func decideHistory(of days: ArraySlice<MarketDay>) -> [Decision] {
        days.flatMap { day -> [Decision] in
            let alerts = markets[day.market]?.decide(day.day, by: rules) ?? []
            let isOpen = markets[day.market]?.correctableSince.map { day.day >= $0 } ?? false
            return alerts.map { Decision(alert: $0, event: nil, isOpen: isOpen) }
        }
    }

    /// Lets days that only `since` kept open be settled, after all days of history are decided.
    mutating func endHistory() {
        for market in rules.markets { markets[market]?.endHistory() }
    }
}

/// An alert that was decided, and the live event that led to it. A class, because it is large and passed on often.
final class Decision: Sendable {
    let alert: Alert
    /// The alert's id, computed once.
    let id: String
    /// The event that led to it; nil for an alert of history, which no sink gets.
    let event: Event?
    /// Whether a later chart can retract it: it is about a movie on a day that a correction can change.
    let isRetractable: Bool

    /// Makes a decision; `isOpen` says whether a correction can change its day.
    init(alert: Alert, event: Event?, isOpen: Bool = true) {
        self.alert = alert
        id = alert.id
        self.event = event
        isRetractable = isOpen && alert.movieCode != nil
    }
}

extension Alert.Evidence {
    init(_ event: Event) {
        self.init(stream: event.stream, sequence: event.sequence)
    }
}

// MARK: - Changes

extension AlertState {
    struct Changes: Sendable {
        let position: LogCursor?
        let since: KoreanDate?
        let began: Date
        let baseline: BaselinePosition
        let markets: [MarketState.Changes]
        let products: ProductStates.Changes?
    }

    mutating func drainChanges() -> Changes {
        Changes(
            position: position, since: since, began: began, baseline: baseline,
            markets: rules.markets.compactMap { markets[$0]?.drainChanges() }, products: productStates?.drainChanges())
    }
}

// MARK: - Baseline

/// The events that update the notifier's state and fire nothing: all that the worker's log held when the notifier was first
/// started. Its end is found once, by the times of events, and is a sequence in each stream from then on, so that a replay
/// decides as the notifier did. See docs/decisions/alerts-by-days.md.
public struct BaselinePosition: Hashable, Sendable, Codable {
    /// The last event of the baseline in each stream; for a stream that is missing it has yet to be found.
    public private(set) var ends: [Stream: SequenceNumber]

    /// Makes a baseline that ends at these events.
    public init(ends: [Stream: SequenceNumber] = [:]) {
        self.ends = ends
    }

    /// No event.
    public static let none = BaselinePosition(ends: Dictionary(uniqueKeysWithValues: streams.map { ($0, .zero) }))

    /// The streams that are always read.
    private static let streams: [Stream] = [.ranking, .anomaly]

    /// Whether an event is part of the baseline of a notifier first started at `began`; a later one ends that of its stream.
    mutating func includes(_ event: Event, began: Date) -> Bool {
        if let end = ends[event.stream] { return event.sequence <= end }
        if event.time < began { return true }
        ends[event.stream] = SequenceNumber(event.sequence.value - 1)
        return false
    }

    /// Whether a logged event is part of the baseline; a stream without an end has none.
    func includes(_ event: LoggedEvent) -> Bool {
        event.sequence <= ends[event.stream] ?? .zero
    }

    mutating func extend(to position: LogCursor) {
        for (stream, cursor) in position.streams { ends[stream] = max(ends[stream] ?? .zero, cursor.after) }
    }

    /// Removes the ends of these streams, so that they are found again.
    mutating func reopen(_ streams: Set<Stream>) {
        for stream in streams { ends[stream] = nil }
    }

    /// Ends the baseline at a reader's position, in each stream whose end has yet to be found.
    mutating func close(at position: LogCursor, alsoFor further: Set<Stream> = []) {
        for stream in further.union(Self.streams) where ends[stream] == nil {
            ends[stream] = position.streams[stream]?.after ?? .zero
        }
    }
}
