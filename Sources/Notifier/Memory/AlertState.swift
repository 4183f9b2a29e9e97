import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import OpenMarket

/// What the notifier has to know to go on where it was: how far it has read, and what it learnt from that.
///
/// It is large, and changed in place. Its changes are written down in their order, each until it is on disk.
struct AlertState: Sendable {
    /// The charts that decisions rest on.
    var decider: AlertDecider
    /// The products that are known, if any rule is about products.
    private(set) var shelf: ProductStates?
    /// How far the worker's log has been read; nil before anything was.
    var position: LogCursor?
    /// From which day on alerts were asked for, by a notifier that was started so.
    let since: KoreanDate?
    /// When the first notifier with this memory was started.
    let began: Date
    /// What it only learns from.
    private(set) var history: BaselinePosition

    /// Makes a memory.
    init(
        decider: AlertDecider, shelf: ProductStates? = nil, position: LogCursor? = nil, since: KoreanDate?, began: Date,
        history: BaselinePosition
    ) {
        self.decider = decider
        self.shelf = shelf
        self.position = position
        self.since = since
        self.began = began
        self.history = history
    }

    /// Where to begin reading.
    var start: Subscription.Start { position.map { .after($0) } ?? .beginning }

    /// Takes a chart, and returns what is decided on it. History fires nothing, unless that was asked for; what it fires
    /// then is for programs to read, and no news for people.
    mutating func takeChart(
        of day: KoreanDate, _ market: Market, from event: Event
    ) throws(DecodingError) -> [Decision] {
        let json = try event.data(as: JSONValue.self)
        let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        let isHistory = history.includes(event, began: began)
        guard since != nil || !isHistory else {
            decider.learn(try RecentChart(json, of: day, at: place), of: market)
            return []
        }
        return decider.take(SourcedChart(try Chart(json: json), at: place), json: json.bytes)
            .map { Decision(alert: $0, event: event, isForPeople: !isHistory) }
    }

    /// Takes an anomaly, and returns what is decided on it. There is no way to ask for old ones: they are over.
    mutating func take(_ anomaly: Anomaly, from event: Event) -> [Decision] {
        guard !history.includes(event, began: began) else { return [] }
        return decider.take(anomaly, at: Alert.Evidence(stream: event.stream, sequence: event.sequence))
            .map { Decision(alert: $0, event: event, isForPeople: true) }
    }

    /// Takes what an event says of products, and returns what is decided on it. As with anomalies, old ones are over.
    mutating func take(_ products: [Product], from event: Event) -> [Decision] {
        decide(shelf?.see(products, at: event.time) ?? [], from: event)
    }

    /// Takes that a product is gone, likewise.
    mutating func take(_ removed: RemovedProduct, from event: Event) -> [Decision] {
        decide(shelf?.miss(removed, at: event.time) ?? [], from: event)
    }

    private mutating func decide(_ sights: [ProductObservation], from event: Event) -> [Decision] {
        guard let shelf, !history.includes(event, began: shelf.began) else { return [] }
        let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
        return decider.take(sights, on: KoreanDate(at: event.time), at: place)
            .map { Decision(alert: $0, event: event, isForPeople: true) }
    }

    /// What has changed on the shelf since this was last asked.
    mutating func takeShelfChanges() -> ProductStates.Changes? { shelf?.takeChanges() }

    /// Notes that all is read that had been published: the events up to a position.
    mutating func catchUp(at position: LogCursor) {
        history.end(at: position, besides: shelf == nil ? [] : ProductStates.streams)
    }

    /// Notes that the worker has another log: nothing in it is history, and nothing is known of it.
    mutating func beginLog() {
        decider.forget()
        shelf?.forget()
        history = .none
    }
}

/// An alert that was decided on; a class, because it is large and handed on often.
final class Decision: Sendable {
    /// The alert.
    let alert: Alert
    /// The alert's id, made once.
    let id: String
    /// The event that led to it.
    let event: Event
    /// Whether people are told.
    let isForPeople: Bool

    /// Makes a decision.
    init(alert: Alert, event: Event, isForPeople: Bool) {
        self.alert = alert
        id = alert.id
        self.event = event
        self.isForPeople = isForPeople
    }
}
