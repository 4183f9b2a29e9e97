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

    /// Ends a request with its result, which describes no time before `askedAt`; returns the anomalies that were not
    /// logged before, or nil if the request had ended already.
    @discardableResult
    func settle(_ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date) throws -> [Anomaly]? {
        guard try end(accepted, as: .done) else { return nil }
        if case .productOrder = accepted.request.target { try freshness.expireProductPages() }
        var events = result.logged
        var anomalies: [Anomaly] = []
        for fact in result.fetched {
            let unreadable = result.unreadable[fact.topic] ?? []
            events.append(
                try record(fact, unreadable, foundBy: accepted, askedAt: askedAt, anomalies: &anomalies))
        }
        let done = EventDraft(done: accepted, events: events, result)
        let (anomalyEvents, new) = try append(anomalies, foundBy: accepted)
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
        let anomalies = try anomalies(in: error, of: request, at: transaction.now)
        let (anomalyEvents, new) = try append(anomalies, foundBy: accepted)
        transaction.end(accepted.origin, events: try anomalyEvents + transaction.append([failed]))
        return new
    }

    /// Ends a request that cannot be read any more, or, `isSetAside`, that the worker does not survive: that one is kept
    /// for the operator, without the secret.
    func fail(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ error: ContractError,
        isSetAside: Bool
    ) throws {
        guard try inbox.settle(id, as: .failed) else { return }
        if isSetAside {
            try inbox.setAside(id)
            try orders.deleteSecret(of: id)
            transaction.changes.setAside.append((id, error))
        } else {
            try orders.delete(id)
        }
        let failed = EventDraft(failed: id, topic: topic, request: fields, error)
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
        anomalies += try self.anomalies(in: fact, after: known)
        anomalies += unreadable.map { fact.anomaly(of: $0, readAt: now) }
        try MovieTitles.store(of: fact, in: transaction.connection)
        return try transaction.append([draft])[0]
    }
}

// MARK: - Anomalies

/// The anomalies in charts and failures, each logged once.
extension SettlementStore {
    /// Returns the anomalies in a chart that differs from the log; `known` is the newest event of its topic.
    private func anomalies(in fact: FetchResult.Fact, after known: LoggedEvent?) throws -> [Anomaly] {
        switch fact {
        case .chart(let chart):
            let dayBefore = try transaction.chart(.ranking(day: chart.date - 1, market: chart.market))
            return chart.anomalies(after: try known?.data(), dayBefore: dayBefore)
        case .weekChart(let chart):
            let before = try transaction.latest(.weekRanking(chart.week.previous, market: chart.chart.market))
            return chart.anomalies(after: try known?.data(), weekBefore: try readable { try before?.data() })
        case .movie, .poster, .productPage, .product, .productRemoved: return []
        }
    }

    /// Returns the anomaly of a request that failed: a chart that had figures, or must have some, has none.
    private func anomalies(in error: ContractError, of request: Request, at now: Date) throws -> [Anomaly] {
        guard error.code == .notPublished else { return [] }
        let (topic, market, lastDay, empty): (Topic, Market, KoreanDate, (Int?) -> Anomaly)
        switch request.target {
        case .day(let date, let of):
            (topic, market, lastDay) = (.ranking(day: date, market: of), of, date)
            empty = { .empty(date, in: of, lines: $0) }
        case .week(let week, let of):
            (topic, market, lastDay) = (.weekRanking(week, market: of), of, week.lastDay)
            empty = { .empty(week.firstDay, week: week, in: of, lines: $0) }
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
    private func append(
        _ anomalies: [Anomaly], foundBy accepted: AcceptedRequest? = nil
    ) throws -> (events: [LoggedEvent], new: [Anomaly]) {
        let new = try anomalies.filter { try transaction.log.event(id: $0.id, in: transaction.connection) == nil }
        let drafts = try new.map { anomaly in
            try EventDraft(
                .anomaly(anomaly.kind, anomaly.date), id: anomaly.id, correlationID: accepted?.id,
                priority: accepted?.request.priority ?? .live, encoding: anomaly)
        }
        return (try transaction.append(drafts), new)
    }

    /// Logs and publishes that charts are late, and returns the anomalies that the log did not have yet.
    func appendLate(_ anomalies: [Anomaly]) throws -> [Anomaly] {
        let (events, new) = try append(anomalies)
        transaction.changes.events += events
        return new
    }
}
