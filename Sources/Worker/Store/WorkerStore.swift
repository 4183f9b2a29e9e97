import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Health
import Operations
import SQLite

/// The worker's database: event log, request inbox, freshness, schedule, backfill and orders, changed in transactions.
///
/// Each subject has a small type of its own that works on a ``StoreTransaction``: ``IntakeStore``, ``SettlementStore``,
/// ``AnswerStore``, ``AnomalyStore``, ``ScheduleStore``, ``BackfillStore`` and ``OrderStore``. ``read(_:)`` and
/// ``write(_:)`` open the transaction; the methods below them are the transactions of one call.
struct WorkerStore: Sendable {
    static let schema = Schema(
        "mqwk", version: 1,
        [
            EventLog.tables, ChartViews.views, RequestInbox.table, OrderStore.tables, FreshnessTable.table,
            MovieTitles.table, PosterChoice.table, QuotaLedger.tables, BackfillStore.tables, UpstreamBinding.table,
            HealthCheck.table,
        ].joined(separator: "\n"))

    let database: Database
    let log: EventLog
    let inbox: RequestInbox
    let wallClock: WallClock
    let seal: SecretSeal
    var failPoints = FailPoints.none
    /// Receives the changes of each committed transaction, in the order of the log.
    ///
    /// It runs on the database's writer queue before the callers whose writes share the commit resume: it must be short
    /// and must not wait for the database.
    let onCommit: @Sendable (CommittedChanges) -> Void

    init(
        database: Database, log: EventLog, inbox: RequestInbox, wallClock: WallClock, seal: SecretSeal,
        failPoints: FailPoints = .none, onCommit: @escaping @Sendable (CommittedChanges) -> Void
    ) {
        self.database = database
        self.log = log
        self.inbox = inbox
        self.wallClock = wallClock
        self.seal = seal
        self.failPoints = failPoints
        self.onCommit = onCommit
    }

    // MARK: Transactions

    /// Runs `body` in a write transaction and passes what it collected to `onCommit` once that is on disk.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await database.write { connection in
            let transaction = self.transaction(on: connection)
            let value = try body(transaction)
            let changes = transaction.changes
            connection.afterCommit { onCommit(changes) }
            return value
        }
    }

    /// Runs `body` on one consistent state of the database.
    func read<Value: Sendable>(_ body: @Sendable (StoreTransaction) throws -> Value) async throws -> Value {
        try await database.read { connection in try body(transaction(on: connection)) }
    }

    /// Returns the transaction that is open on a connection. Only ``write(_:)`` passes its changes to `onCommit`.
    func transaction(on connection: Connection) -> StoreTransaction {
        StoreTransaction(
            connection: connection, log: log, inbox: inbox, wallClock: wallClock, seal: seal,
            failPoints: failPoints)
    }

    // MARK: Intake

    /// Accepts requests, all in one transaction, and returns what became of each.
    func accept(_ items: [IntakeItem]) async throws -> [IntakeOutcome] {
        try await write { try IntakeStore($0).accept(items) }
    }

    /// Writes a failure for each rejected request, all in one transaction.
    func reject(_ requests: [RejectedRequest]) async throws {
        try await write { try IntakeStore($0).reject(requests) }
    }

    /// Returns the accepted requests that have not ended, in the order in which they came, and reports them as the
    /// commit's `pending`. A request that cannot be read any more fails.
    @discardableResult
    func loadPending() async throws -> [AcceptedRequest] {
        try await write { try IntakeStore($0).loadPending() }
    }

    /// Counts on disk that a request is about to be begun again, and returns false if it has ended: see
    /// ``RequestInbox/triesLimit``.
    func begin(_ id: RequestID) async throws -> Bool {
        try await database.write { try inbox.begin(id, in: $0) }
    }

    /// Takes back what ``begin(_:)`` counted, because the worker stops in order.
    func takeBack(_ id: RequestID) async throws {
        try await database.write { try inbox.takeBack(id, in: $0) }
    }

    /// Returns the ids of the requests that were set aside, newest first, at most 20.
    func setAside() async throws -> [RequestID] {
        try await database.read { try inbox.setAside(in: $0) }
    }

    /// Returns the number of accepted requests that have not ended.
    func waitingCount() async throws -> Int {
        try await database.read { connection in try inbox.waitingCount(in: connection) }
    }

    // MARK: Settlement

    /// Ends a request with its result.
    ///
    /// - Parameters:
    ///   - accepted: The request.
    ///   - result: What the fetcher found.
    ///   - askedAt: The earliest time that the result may describe.
    /// - Returns: The anomalies that were not logged before, or nil if the request had ended already.
    @discardableResult
    func settle(
        _ accepted: AcceptedRequest, with result: FetchResult, askedAt: Date
    ) async throws -> [Anomaly]? {
        try await write { try SettlementStore($0).settle(accepted, with: result, askedAt: askedAt) }
    }

    /// Ends a request with a failure.
    ///
    /// - Returns: The anomalies that were not logged before, or nil if the request had ended already.
    @discardableResult
    func settle(_ accepted: AcceptedRequest, with error: ContractError) async throws -> [Anomaly]? {
        try await write { try SettlementStore($0).settle(accepted, with: error) }
    }

    // MARK: Answers

    /// Returns the newest event of a topic and when it was last confirmed, or nil if the topic has none.
    func checkedEvent(_ topic: Topic) async throws -> CheckedEvent? {
        try await read { try AnswerStore($0).checkedEvent(topic) }
    }

    /// Returns the log's answer to a request that has waited: another request may have fetched it meanwhile.
    func answer(to accepted: AcceptedRequest, at now: Date) async throws -> FetchResult? {
        try await read { try AnswerStore($0).answer(to: accepted.request, at: now) }
    }
}

/// One transaction on the worker's database, and what has to be announced once it is committed.
///
/// Not `Sendable`: it belongs to the body of one read or write.
final class StoreTransaction {
    let connection: Connection
    let log: EventLog
    let inbox: RequestInbox
    let wallClock: WallClock
    let seal: SecretSeal
    let failPoints: FailPoints
    /// What this transaction changes; empty in a read.
    var changes = CommittedChanges()

    init(
        connection: Connection, log: EventLog, inbox: RequestInbox, wallClock: WallClock,
        seal: SecretSeal, failPoints: FailPoints
    ) {
        self.connection = connection
        self.log = log
        self.inbox = inbox
        self.wallClock = wallClock
        self.seal = seal
        self.failPoints = failPoints
    }

    /// Appends events to the log, without publishing them, and returns them as logged.
    func append(_ drafts: [EventDraft]) throws(DatabaseError) -> [LoggedEvent] {
        try log.append(drafts, at: wallClock.now(), in: connection)
    }

    /// Collects the events that end a request, in the order in which they are to be published.
    func end(_ origin: RequestOrigin, events: [LoggedEvent]) {
        changes.events += events
        changes.ended.append(origin)
        failPoints.reach(.settled)
    }
}

/// What a transaction changed, for those who act on it after the commit.
struct CommittedChanges: Sendable {
    /// The events to publish, in this order; answers from the log are published again.
    var events: [LoggedEvent] = []
    /// The origin of each request that has ended.
    var ended: [RequestOrigin] = []
    /// The new requests that an upstream has to answer.
    var waiting: [AcceptedRequest] = []
    /// The new requests that the log has answered.
    var answered: [AcceptedRequest] = []
    /// The requests that were begun too often, and the error that each failed with.
    var setAside: [(id: RequestID, error: ContractError)] = []
    /// All requests that wait, if they were loaded: nothing that is accepted later is among them.
    var pending: [AcceptedRequest]?
}
