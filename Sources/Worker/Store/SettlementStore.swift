import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Operations
import SQLite
import Upstreams

/// Ends requests: writes what was found, the anomalies in it and the request's end in one transaction.
struct SettlementStore {
    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Ends a request with its result; see ``WorkerStore/settle(_:with:askedAt:)``.
    func settle(_ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date) throws -> [Anomaly]? {
        guard try end(accepted, as: .done) else { return nil }
        if case .productOrder = accepted.request.target { try FreshnessTable.expireProductPages(in: connection) }
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
    func settle(_ accepted: AcceptedRequest, with error: ContractError) throws -> [Anomaly]? {
        let request = accepted.request
        guard try end(accepted, as: .failed) else { return nil }
        let failed = EventDraft(
            failed: accepted.id, topic: request.topic.rawValue, request: request.fields, priority: request.priority,
            error)
        let store = AnomalyStore(transaction)
        let anomalies = try store.anomalies(in: error, of: request, at: transaction.wallClock.now())
        let (anomalyEvents, new) = try store.append(anomalies, foundBy: accepted)
        transaction.end(accepted.origin, events: try anomalyEvents + transaction.append([failed]))
        return new
    }

    /// Ends a request that cannot be read any more.
    func fail(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ error: ContractError
    ) throws {
        guard try transaction.inbox.settle(id, as: .failed, in: connection) else { return }
        try OrderStore.delete(id, in: connection)
        let failed = EventDraft(failed: id, topic: topic, request: fields, error)
        transaction.end(origin, events: try transaction.append([failed]))
    }

    /// Ends a request that the worker does not survive, and keeps it for the operator, without the secret.
    func setAside(
        _ id: RequestID, topic: String, _ fields: RequestFields, origin: RequestOrigin, _ error: ContractError
    ) throws {
        guard try transaction.inbox.settle(id, as: .failed, in: connection) else { return }
        try transaction.inbox.setAside(id, in: connection)
        try OrderStore.deleteSecret(of: id, in: connection)
        let failed = EventDraft(failed: id, topic: topic, request: fields, error)
        transaction.changes.setAside.append((id, error))
        transaction.end(origin, events: try transaction.append([failed]))
    }

    /// Marks a request as ended and deletes its attachments; returns false if it had ended before.
    private func end(_ accepted: AcceptedRequest, as state: RequestInbox.State) throws -> Bool {
        guard try transaction.inbox.settle(accepted.id, as: state, in: connection) else { return false }
        if accepted.request.topic.isAboutProducts { try OrderStore.delete(accepted.id, in: connection) }
        return true
    }

    /// Appends a fact if it differs from the log, and returns the event that states it now.
    private func record(
        _ fact: FetchResult.Fact, _ unreadable: [UnreadableField], foundBy accepted: AcceptedRequest, askedAt: Date,
        anomalies: inout [Anomaly]
    ) throws -> LoggedEvent {
        let now = transaction.wallClock.now()
        let known = try transaction.log.latest(fact.topic, in: connection)
        // Another request asked later and was answered sooner: the log is newer than this fact. A time in the future is
        // from before the clock was set back; it must not make facts count as old until the clock has caught up.
        if let known, let checked = try FreshnessTable.lastCheck(of: fact.topic, in: connection), askedAt < checked,
            checked <= now
        {
            return known
        }
        try FreshnessTable.setLastCheck(of: fact.topic, to: askedAt, in: connection)
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
        try MovieTitles.store(of: fact, in: connection)
        return try transaction.log.append([draft], at: now, in: connection)[0]
    }
}
