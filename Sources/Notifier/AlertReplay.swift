public import BoxOffice
import Contract
public import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import OpenMarket
import Storage

/// Decides the alerts of a worker's log again. Publishes nothing and changes nothing.
public struct AlertReplay: Sendable {
    private let rules: AlertRules
    private let since: KoreanDate?
    private let baseline: BaselinePosition?
    private let onUnreadable: @Sendable (LoggedEvent, DecodingError) -> Void

    /// Makes a replay, of the whole log without `baseline`; of the baseline, only days from `since` on fire.
    public init(
        rules: AlertRules, since: KoreanDate? = nil, baseline: BaselinePosition? = nil,
        onUnreadable: @escaping @Sendable (LoggedEvent, DecodingError) -> Void = { _, _ in }
    ) {
        self.rules = rules
        self.since = since
        self.baseline = baseline
        self.onUnreadable = onUnreadable
    }

    /// Returns an alert as one line of JSON, `{"data":…,"id":…}`, with the data and the id of its event.
    public static func json(_ alert: Alert) -> [UInt8] {
        var json = JSONWriter()
        json.member("data", alert, isFirst: true)
        json.member("id", alert.id)
        json.endObject()
        return json.bytes
    }

    /// Calls `body` with each alert that a notifier with this baseline decides when it reads the log from its beginning.
    /// Alerts about charts come first, then those about anomalies, then those about products.
    public func run(_ file: LogDatabase, _ body: (Alert) throws -> Void) throws {
        try file.read { log, connection in
            try replayCharts(log, connection, body)
            var decided: Set<String> = []
            try replayAnomalies(log, connection) { if decided.insert($0.id).inserted { try body($0) } }
            try replayProducts(
                log, connection, isBaseline: { event in try isBaseline(event) || event.priority == .backfill }, body)
        }
    }

    private func replayCharts(
        _ log: EventLog, _ connection: Connection, _ body: (Alert) throws -> Void
    ) throws {
        var state = AlertState(rules: rules, since: since)
        let prefix = rules.markets == [.all] ? "ranking.day.\(Market.all)." : "ranking.day."
        var charts = PagedReader(log, .ranking, prefix: prefix)
        var isHistory = true
        func decideHistory() throws {
            guard isHistory else { return }
            isHistory = false
            for decision in state.decideHistory(of: state.historyDays[...]) { try body(decision.alert) }
            state.endHistory()
        }
        while let event = try charts.peek(in: connection) {
            charts.advance()
            guard let chart = readable(event, SourcedChart.init), let isLive = isLive(event) else { continue }
            if isBaseline(event) {
                state.applyBaseline(chart)
            } else {
                try decideHistory()
                try state.apply(chart, isLive: isLive).forEach(body)
            }
        }
        try decideHistory()
    }

    /// Calls `body` with each alert that would have fired if each day's chart had come in its order, as it stands now.
    /// Days before `since` fire nothing.
    public func dryRun(_ file: LogDatabase, _ body: (Alert) throws -> Void) throws {
        try file.read { log, connection in
            for market in rules.markets.sorted(by: { $0.description < $1.description }) {
                try dryRun(of: market, log, connection, body)
            }
            let first = since?.start ?? .distantPast
            try replayProducts(log, connection, isBaseline: { try Event($0).time < first }, body)
        }
    }

    private func dryRun(
        of market: Market, _ log: EventLog, _ connection: Connection, _ body: (Alert) throws -> Void
    ) throws {
        var state = AlertState(rules: rules)
        var last = ""
        var more = true
        while more {
            let page = try log.latest(prefix: "ranking.day.\(market).", after: last, limit: 500, in: connection)
            for event in page.events {
                guard var chart = readable(event, SourcedChart.init) else { continue }
                // What the day's last chart corrected was not known on that day.
                chart.chart.corrections = nil
                if let since, chart.chart.date < since {
                    state.applyBaseline(chart)
                } else {
                    for alert in state.apply(chart) { try body(alert) }
                }
            }
            last = page.events.last?.topic.description ?? last
            more = page.more
        }
    }

    private func replayAnomalies(
        _ log: EventLog, _ connection: Connection, _ body: (Alert) throws -> Void
    ) throws {
        guard rules[AnomalyRule.name] != nil else { return }
        var anomalies = PagedReader(log, .anomaly)
        while let event = try anomalies.peek(in: connection) {
            anomalies.advance()
            guard !isBaseline(event), isLive(event) == true,
                let anomaly = readable(event, { event throws(DecodingError) in try event.data(as: Anomaly.self) })
            else { continue }
            if let alert = rules.alert(about: anomaly, evidence: Alert.Evidence(event)) { try body(alert) }
        }
    }

    /// Replays both product streams in the order of the events' times: two streams have no other common order.
    private func replayProducts(
        _ log: EventLog, _ connection: Connection, isBaseline: (LoggedEvent) throws -> Bool,
        _ body: (Alert) throws -> Void
    ) throws {
        guard rules.hasProductRules else { return }
        var products = ProductStates(began: .distantPast)
        var readers = [Contract.Stream.products, .product].map { PagedReader(log, $0) }
        while true {
            var next: (index: Int, event: LoggedEvent, time: Date)?
            for index in readers.indices {
                while let event = try readers[index].peek(in: connection) {
                    if let time = readable(event, { event throws(DecodingError) in try Event(event).time }) {
                        if next.map({ time < $0.time }) ?? true { next = (index, event, time) }
                        break
                    }
                    readers[index].advance()
                }
            }
            guard let (index, event, time) = next else { return }
            readers[index].advance()
            let observations = readable(event) { event throws(DecodingError) in
                switch event.topic {
                case .products: try products.apply(event.data(as: ProductPage.self).products, at: time)
                case .product: try products.apply([event.data(as: Product.self)], at: time)
                default: try products.apply(event.data(as: RemovedProduct.self), at: time)
                }
            }
            guard let observations, try !isBaseline(event) else { continue }
            try rules.alerts(about: observations, on: KoreanDate(at: time), evidence: Alert.Evidence(event))
                .forEach(body)
        }
    }

    private func isBaseline(_ event: LoggedEvent) -> Bool { baseline?.includes(event) ?? true }

    /// Whether an event is not of a backfill; nil if it cannot be read.
    private func isLive(_ event: LoggedEvent) -> Bool? {
        readable(event) { event throws(DecodingError) in try event.priority == .live }
    }

    /// Returns what `read` reads of an event; nil if it cannot be read, as a notifier goes on without it.
    private func readable<Value>(
        _ event: LoggedEvent, _ read: (LoggedEvent) throws(DecodingError) -> Value?
    ) -> Value? {
        do throws(DecodingError) {
            return try read(event)
        } catch {
            onUnreadable(event, error)
            return nil
        }
    }
}

extension SourcedChart {
    init?(_ event: LoggedEvent) throws(DecodingError) {
        guard case .ranking(day: _, market: _) = event.topic else { return nil }
        self.init(chart: try event.data(), evidence: Alert.Evidence(event))
    }
}

extension Alert.Evidence {
    fileprivate init(_ event: LoggedEvent) {
        self.init(stream: event.stream, sequence: event.sequence)
    }
}

extension Event {
    fileprivate init(_ event: LoggedEvent) throws(DecodingError) {
        try self.init(topic: event.topic, body: event.body)
    }
}

private struct PagedReader {
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

    mutating func peek(in connection: Connection) throws -> LoggedEvent? {
        while page.isEmpty, more {
            let next = try log.events(of: stream, after: position, prefix: prefix, limit: 500, in: connection)
            (page, position, more) = (next.events[...], next.position, next.more)
        }
        return page.first
    }

    mutating func advance() {
        page.removeFirst()
    }
}
