import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import ServiceRuntime
import Storage
import Upstreams

/// Ends requests: writes what was found, the anomalies in it and the request's end in one transaction.
struct SettlementStore {
    private let transaction: StoreTransaction
    private var inbox: RequestInbox { RequestInbox(transaction) }
    private var orders: OrderStore { OrderStore(transaction) }
    private var freshness: Freshness { Freshness(transaction) }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Ends a request with its result.
    ///
    /// - Parameter askedAt: The earliest time that the result may describe.
    /// - Returns: The anomalies that were not logged before, or nil if the request had ended already.
    @discardableResult
    func settle(_ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date) throws -> [Anomaly]? {
        guard try end(accepted, as: .done) else { return nil }
        if case .productOrder = accepted.request.target { try freshness.expireProductPages() }
        var events = result.logged
        var anomalies: [Anomaly] = []
        for fact in result.fetched {
            events.append(
                try record(
                    fact, result.unreadable[fact.topic] ?? [], foundBy: accepted, askedAt: askedAt,
                    anomalies: &anomalies))
        }
        let done = EventDraft(done: accepted, events: events, result)
        let (anomalyEvents, new) = try AnomalyStore(transaction).append(anomalies, foundBy: accepted)
        events += anomalyEvents
        events += try transaction.append([done])
        transaction.end(accepted.origin, events: events)
        return new
    }

    /// Ends a request with a failure; returns the new anomalies, or nil if the request had ended already.
    @discardableResult
    func settle(_ accepted: AcceptedRequest, with error: ContractError) throws -> [Anomaly]? {
        let request = accepted.request
        guard try end(accepted, as: .failed) else { return nil }
        let failed = EventDraft(
            failed: accepted.id, topic: request.topic.rawValue, request: request.fields, priority: request.priority,
            error)
        let store = AnomalyStore(transaction)
        let anomalies = try store.anomalies(in: error, of: request, at: transaction.now)
        let (anomalyEvents, new) = try store.append(anomalies, foundBy: accepted)
        transaction.end(accepted.origin, events: try anomalyEvents + transaction.append([failed]))
        return new
    }

    /// Ends a request that cannot be read any more.
    func fail(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ error: ContractError
    ) throws {
        guard try inbox.settle(id, as: .failed) else { return }
        try orders.delete(id)
        let failed = EventDraft(failed: id, topic: topic, request: fields, error)
        transaction.end(origin, events: try transaction.append([failed]))
    }

    /// Ends a request that the worker does not survive, and keeps it for the operator, without the secret.
    func setAside(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ error: ContractError
    ) throws {
        guard try inbox.settle(id, as: .failed) else { return }
        try inbox.setAside(id)
        try orders.deleteSecret(of: id)
        let failed = EventDraft(failed: id, topic: topic, request: fields, error)
        transaction.changes.setAside.append((id, error))
        transaction.end(origin, events: try transaction.append([failed]))
    }

    /// Marks a request as ended and deletes its attachments; returns false if it had ended before.
    private func end(_ accepted: AcceptedRequest, as state: RequestInbox.State) throws -> Bool {
        guard try inbox.settle(accepted.id, as: state) else { return false }
        if accepted.request.topic.isAboutProducts { try orders.delete(accepted.id) }
        return true
    }

    /// Appends a fact if it differs from the log, and returns the event that states it now.
    private func record(
        _ fact: FetchResult.Fact, _ unreadable: [UnreadableField], foundBy accepted: AcceptedRequest, askedAt: Date,
        anomalies: inout [Anomaly]
    ) throws -> LoggedEvent {
        let now = transaction.now
        let known = try transaction.latest(fact.topic)
        // Another request asked later and was answered sooner: the log is newer than this fact. A time in the future is
        // from before the clock was set back; it must not make facts count as old until the clock has caught up.
        if let known, let checked = try freshness.lastCheck(of: fact.topic), askedAt < checked, checked <= now {
            return known
        }
        try freshness.setLastCheck(of: fact.topic, to: askedAt)
        guard let draft = try fact.draft(after: known, foundBy: accepted) else {
            if let known { return known }
            throw ContractError(.internal, "internal error: no event was produced for \(fact.topic)")
        }
        guard draft.data.count <= Event.maximumDataBytes else {
            throw ContractError(
                .upstreamInvalid,
                "the upstream's response makes \(fact.topic) an event of \(draft.data.count) bytes; it may have at most "
                    + "\(Event.maximumDataBytes)")
        }
        let store = AnomalyStore(transaction)
        switch fact {
        case .chart(let chart): anomalies += try store.anomalies(in: chart, after: known)
        case .weekChart(let chart): anomalies += try store.anomalies(in: chart, after: known)
        case .movie, .poster, .productPage, .product, .productRemoved: break
        }
        anomalies += unreadable.map { fact.anomaly(of: $0, readAt: now) }
        try MovieTitles.store(of: fact, in: transaction.connection)
        return try transaction.append([draft])[0]
    }
}

/// Finds the anomalies in charts and failures, and logs each once.
struct AnomalyStore {
    private let transaction: StoreTransaction

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Returns the anomalies in a day's chart that differs from the log; `known` is the newest event of its topic.
    func anomalies(in chart: Chart, after known: LoggedEvent?) throws -> [Anomaly] {
        let dayBefore = try transaction.chart(.ranking(day: chart.date - 1, market: chart.market))
        return chart.anomalies(after: try known?.data(), dayBefore: dayBefore)
    }

    /// Returns the anomalies in a week's chart that differs from the log.
    func anomalies(in chart: WeekChart, after known: LoggedEvent?) throws -> [Anomaly] {
        let before = try transaction.latest(.weekRanking(chart.week.previous, market: chart.chart.market))
        return chart.anomalies(after: try known?.data(), weekBefore: try readable { try before?.data() })
    }

    /// Returns the anomaly of a request that failed: a chart that had figures, or must have some, has none.
    func anomalies(in error: ContractError, of request: Request, at now: Date) throws -> [Anomaly] {
        guard error.code == .notPublished else { return [] }
        let (topic, market, lastDay, empty): (Topic, Market, KoreanDate, (Int?) -> Anomaly)
        switch request.target {
        case .day(let date, let of):
            (topic, market, lastDay) = (.ranking(day: date, market: of), of, date)
            empty = { .empty(date, in: of, lines: $0) }
        case .week(let week, let of):
            (topic, market, lastDay) = (.weekRanking(week, market: of), of, week.lastDay)
            empty = { .empty(week, in: of, lines: $0) }
        case .movie, .products, .productOrder: return []
        }
        if let known = try transaction.latest(topic) {
            return [empty(try known.data(as: Chart.self).entries.count)]
        }
        // A small market may have no movie on a day; the national one always has.
        guard market == .all, Chart.state(of: lastDay, at: now) == .settled else { return [] }
        return [empty(nil)]
    }

    /// Appends the anomalies that are not in the log yet, and returns their events and themselves.
    func append(
        _ anomalies: [Anomaly], foundBy accepted: AcceptedRequest
    ) throws -> (events: [LoggedEvent], new: [Anomaly]) {
        let new = try anomalies.filter { try isNew($0) }
        let drafts = try new.map { anomaly in
            try EventDraft(
                .anomaly(anomaly.kind, anomaly.date), id: anomaly.id, correlationID: accepted.id,
                priority: accepted.request.priority, encoding: anomaly)
        }
        return (try transaction.append(drafts), new)
    }

    /// Logs and publishes that a chart is late, once; returns whether the log did not have it yet.
    func appendLate(_ anomaly: Anomaly) throws -> Bool {
        guard try isNew(anomaly) else { return false }
        let draft = try EventDraft(.anomaly(anomaly.kind, anomaly.date), id: anomaly.id, encoding: anomaly)
        transaction.changes.events += try transaction.append([draft])
        return true
    }

    private func isNew(_ anomaly: Anomaly) throws -> Bool {
        try transaction.log.event(id: anomaly.id, in: transaction.connection) == nil
    }
}
