import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Health
import ServiceRuntime
import Storage

/// The worker's database: event log, request inbox, freshness, schedule, backfill and orders, changed in transactions.
/// Each service owns the tables beside it, by a type that works on a ``StoreTransaction``: ``RequestInbox``,
/// ``SettlementStore``, ``Freshness``, ``BackfillStore`` and ``OrderStore``.
struct WorkerStore: Sendable {
    static let schema = Schema(
        "mqwk", version: 1,
        [
            EventLog.tables, RequestInbox.table, OrderStore.tables, Freshness.table,
            MovieTitles.table, PosterChoice.table, QuotaLedger.tables, BackfillStore.tables, UpstreamBinding.table,
            HealthCheck.table, WorkerRegistry.table,
        ].joined(separator: "\n"), views: (ChartViews.sqlite, ChartViews.postgreSQL))

    let database: Database
    let log: EventLog
    let inboxLimit: Int
    let seal: SecretSeal
    let runtime: Runtime
    /// The name of this run of the worker among those that share the database.
    var worker = 1
    /// Receives the changes of each committed transaction, in the order of the log. It runs on the database's writer
    /// queue before the callers whose writes share the commit resume: it must be short and must not wait for the
    /// database.
    let onCommit: @Sendable (CommittedChanges) -> Void

    /// Runs `body` in a write transaction and passes what it collected to `onCommit` once that is on disk.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write { connection in
            let transaction = StoreTransaction(self, on: connection)
            let value = try body(transaction)
            let changes = transaction.changes
            connection.afterCommit { onCommit(changes) }
            return value
        }
    }

    func read<Value: Sendable>(_ body: @Sendable (StoreTransaction) throws -> Value) async throws -> Value {
        try await database.read { connection in try body(StoreTransaction(self, on: connection)) }
    }
}

/// One transaction on the worker's database, and what has to be announced once it is committed. Not `Sendable`: it
/// belongs to the body of one read or write.
final class StoreTransaction {
    let connection: Connection
    private let store: WorkerStore
    /// What this transaction changes; empty in a read.
    var changes = CommittedChanges()

    /// Makes the transaction that is open on a connection. Only ``WorkerStore/write(_:)`` passes its changes on.
    init(_ store: WorkerStore, on connection: Connection) {
        self.store = store
        self.connection = connection
    }

    var log: EventLog { store.log }
    var inboxLimit: Int { store.inboxLimit }
    var seal: SecretSeal { store.seal }
    var worker: Int { store.worker }
    var failPoints: FailPoints { store.runtime.failPoints }
    var now: Date { store.runtime.wallClock.now() }

    func latest(_ topic: Topic) throws(DatabaseError) -> LoggedEvent? {
        try log.latest(topic, in: connection)
    }

    /// Returns the newest revision of a chart; nil if there is none, or nobody can read it.
    func chart(_ topic: Topic) throws -> Chart? {
        try readable { try latest(topic)?.data() }
    }

    func append(_ drafts: [EventDraft]) throws(DatabaseError) -> [LoggedEvent] {
        try log.append(drafts, at: now, in: connection)
    }

    /// Collects the events that end a request, in the order in which they are to be published.
    func end(_ origin: RequestOrigin, events: [LoggedEvent]) {
        changes.events += events
        changes.ended.append(origin)
        failPoints.reach(.settled)
    }
}

/// Returns what is read from the log, or nil if an event cannot be read, as one of a newer version: a chart that nobody
/// can read keeps no other from being fetched.
func readable<Value>(_ read: () throws -> Value?) throws -> Value? {
    do {
        return try read()
    } catch is DecodingError {
        return nil
    }
}

struct CommittedChanges: Sendable {
    /// The events to publish, in this order; those that end a request from the log are published again.
    var events: [LoggedEvent] = []
    var ended: [RequestOrigin] = []
    /// The new requests that need an upstream.
    var waiting: [AcceptedRequest] = []
    /// The new requests that are done, because the log has fresh events for them.
    var done: [AcceptedRequest] = []
    /// The requests that were begun too often, and the error that each failed with.
    var setAside: [(id: RequestID, error: ContractError)] = []
    /// All requests that wait, if they were loaded: nothing that is accepted later is among them.
    var pending: [AcceptedRequest] = []
}

/// Acts on each commit of the worker's store: publishes the events, wakes the schedule and the backfill when a request
/// of theirs has ended, and puts new requests in the queue. It is called on the database's writer queue, in the order
/// of the commits, and does not block.
struct CommitHandler: Sendable {
    let publish: @Sendable ([LoggedEvent]) -> Void
    let queue: RequestQueue
    let metrics: WorkerMetrics
    let runtime: Runtime
    let scheduleSignal: WakeSignal
    let backfillSignal: WakeSignal

    func handle(_ changes: CommittedChanges) {
        let accepted = changes.done + changes.waiting
        let isSettlement = accepted.isEmpty && !changes.ended.isEmpty
        if !accepted.isEmpty { runtime.failPoints.reach(.accepted) }
        if isSettlement { runtime.failPoints.reach(.committed) }
        if !changes.events.isEmpty { publish(changes.events) }
        if changes.ended.contains(.schedule) { scheduleSignal.signal() }
        if changes.ended.contains(.backfill) { backfillSignal.signal() }
        if isSettlement { runtime.failPoints.reach(.published) }
        if !accepted.isEmpty { metrics.countAccepted(accepted.map(\.id)) }
        for request in changes.done {
            metrics.countDone(request.id, from: .log)
            runtime.logger.debug("request done", [.request: request.id, .status: RequestDone.Source.log.rawValue])
        }
        for (id, error) in changes.setAside {
            metrics.countFailed(id, error)
            runtime.logger.error(
                "a request that the worker did not survive is set aside", [.request: id, .reason: error.message])
        }
        queue.add(changes.pending + changes.waiting)
    }
}
