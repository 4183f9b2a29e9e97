public import BoxOffice
import Contract
public import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import OpenMarket
import SQLite

/// Computes the alerts of a worker's log afresh. Nothing is published and nothing is changed.
public struct AlertReplay: Sendable {
    private let rules: AlertRules
    private let since: KoreanDate?
    private let history: BaselinePosition

    /// Makes a replay by these rules; `history` is what a notifier only learnt from.
    public init(rules: AlertRules, since: KoreanDate? = nil, history: BaselinePosition = .none) {
        self.rules = rules
        self.since = since
        self.history = history
    }

    /// An alert as one line of JSON, `{"data":…,"id":…}`: the data and the id that its event has.
    public static func json(_ alert: Alert) -> [UInt8] {
        var json = JSONWriter()
        json.member("data", alert, isFirst: true)
        json.member("id", alert.id)
        json.endObject()
        return json.bytes
    }

    /// Hands `body` each alert that a notifier decides on that hears the log from its beginning, in its order.
    ///
    /// The same log and the same settings give the same alerts: ids, texts and order, byte for byte.
    public func run(_ file: LogDatabase, _ body: (Alert) throws -> Void) throws {
        try file.read { log, connection in
            var decider = AlertDecider(rules: rules, since: since)
            var decided: Set<String> = []
            var charts = LogCursor(log, .ranking, prefix: prefix)
            while let event = try charts.next(in: connection) {
                guard let chart = try SourcedChart(event) else { continue }
                if since == nil, try history.includes(event) {
                    decider.learn(chart)
                    continue
                }
                for alert in decider.take(chart) where decided.insert(alert.id).inserted { try body(alert) }
            }
            try anomalies(log, connection) { if decided.insert($0.id).inserted { try body($0) } }
            try products(log, connection, isHistory: { try history.includes($0) }, body)
        }
    }

    /// The alerts about anomalies come last: only within a stream is there one order for all readers.
    private func anomalies(_ log: EventLog, _ connection: Connection, _ body: (Alert) throws -> Void) throws {
        guard rules[.anomaly] != nil else { return }
        let decider = AlertDecider(rules: rules)
        var anomalies = LogCursor(log, .anomaly)
        while let event = try anomalies.next(in: connection) {
            guard try !history.includes(event) else { continue }
            let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
            for alert in decider.take(try event.data(), at: place) { try body(alert) }
        }
    }

    /// The alerts about products come behind those, their events in the order of time: two streams have no other.
    private func products(
        _ log: EventLog, _ connection: Connection, isHistory: (LoggedEvent) throws -> Bool,
        _ body: (Alert) throws -> Void
    ) throws {
        guard rules.looksAtProducts else { return }
        let decider = AlertDecider(rules: rules)
        var shelf = ProductStates(began: .distantPast)
        var readers = [Contract.Stream.products, .product].map { LogCursor(log, $0) }
        while true {
            var next: (index: Int, event: LoggedEvent, time: Date)?
            for index in readers.indices {
                guard let event = try readers[index].peek(in: connection) else { continue }
                let time = try Event(event).time
                if next.map({ time < $0.time }) ?? true { next = (index, event, time) }
            }
            guard let (index, event, time) = next else { return }
            readers[index].advance()
            let sights =
                switch event.topic {
                case .products: try shelf.see(event.data(as: ProductPage.self).products, at: time)
                case .product: try shelf.see([event.data(as: Product.self)], at: time)
                default: try shelf.miss(event.data(as: RemovedProduct.self), at: time)
                }
            guard try !isHistory(event) else { continue }
            let place = Alert.Evidence(stream: event.stream, sequence: event.sequence)
            for alert in decider.take(sights, on: KoreanDate(at: time), at: place) { try body(alert) }
        }
    }

    /// Hands `body` each alert that would have fired if every day's chart had come in its turn, as it stands now.
    ///
    /// What new rules would have said over the stored history, in whatever order that was fetched. Days before `since`
    /// are learnt from.
    public func rehearse(_ file: LogDatabase, _ body: (Alert) throws -> Void) throws {
        try file.read { log, connection in
            for market in rules.markets.sorted(by: { $0.description < $1.description }) {
                var decider = AlertDecider(rules: rules)
                var last = ""
                var more = true
                while more {
                    let page = try log.latest(
                        prefix: "ranking.day.\(market).", after: last, limit: 500, in: connection)
                    for event in page.events {
                        guard var chart = try SourcedChart(event) else { continue }
                        // What was corrected since is no news of that day.
                        chart.chart.corrections = nil
                        if let since, chart.chart.date < since {
                            decider.learn(chart)
                        } else {
                            for alert in decider.take(chart) { try body(alert) }
                        }
                    }
                    last = page.events.last?.topic.description ?? last
                    more = page.more
                }
            }
            let first = since?.start ?? .distantPast
            try products(log, connection, isHistory: { try Event($0).time < first }, body)
        }
    }

    /// What all topics begin with that are looked at.
    private var prefix: String { rules.markets == [.all] ? "ranking.day.\(Market.all)." : "ranking.day." }
}

extension SourcedChart {
    /// Reads the chart of a logged event; nil if it is about something else.
    init?(_ event: LoggedEvent) throws(DecodingError) {
        guard case .ranking(day: _, market: _) = event.topic else { return nil }
        self.init(try event.data(), at: Alert.Evidence(stream: event.stream, sequence: event.sequence))
    }
}

extension Event {
    /// Reads the attributes of a logged event.
    fileprivate init(_ event: LoggedEvent) throws(DecodingError) {
        try self.init(topic: event.topic, body: event.body)
    }
}

/// Goes through a stream of a log, page by page.
private struct LogCursor {
    private let log: EventLog
    private let stream: Contract.Stream
    private let prefix: String
    private var page: ArraySlice<LoggedEvent> = []
    private var position = SequenceNumber.zero
    private var more = true

    init(_ log: EventLog, _ stream: Contract.Stream, prefix: String = "") {
        self.log = log
        self.stream = stream
        self.prefix = prefix
    }

    /// Takes the next event; nil at the end.
    mutating func next(in connection: Connection) throws -> LoggedEvent? {
        guard let event = try peek(in: connection) else { return nil }
        advance()
        return event
    }

    /// The next event; nil at the end.
    mutating func peek(in connection: Connection) throws -> LoggedEvent? {
        while page.isEmpty, more {
            let next = try log.events(of: stream, after: position, prefix: prefix, limit: 500, in: connection)
            (page, position, more) = (next.events[...], next.position, next.more)
        }
        return page.first
    }

    /// Goes on to the event after it.
    mutating func advance() {
        page.removeFirst()
    }
}
