import Concurrency
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Storage
import Text

enum RequestResult: Hashable, Sendable {
    case waiting
    case done
    /// It failed; `needsOperator` if it will fail again until somebody has corrected the configuration.
    case failed(ContractError.Code, needsOperator: Bool = false)

    init(_ error: ContractError) {
        self = .failed(error.code, needsOperator: error.needsOperator)
    }
}

/// The accepted requests, on disk until and after their end.
///
/// The table is in the log's database, so that a request's end and its events are one transaction. It holds what was
/// understood of a request and the SHA-256 of what was sent, so that a client does not decide how much is stored. The
/// worker that works on a request has claimed it, and only it ends the request.
struct RequestInbox {
    /// The state of a request; the raw values are stored in the table.
    enum State: Int {
        case waiting = 0
        case done = 1
        case failed = 2
    }

    static let table = """
        create table inbox (
            number integer primary key,
            id text not null unique,
            topic text not null,
            digest text not null,
            request text not null,
            accepted_at text not null,
            origin integer not null,
            state integer not null,
            tries integer not null default 0,
            claimed_by integer not null default 0,
            set_aside integer not null default 0
        ) strict;
        create index inbox_waiting on inbox (number) where state = 0;
        create index inbox_set_aside on inbox (number) where set_aside = 1;
        create index inbox_refused on inbox (accepted_at) where request = '';
        """

    /// How often a request is begun. One that never ended, because the worker died each time, is not begun again.
    static let triesLimit = 3
    /// How long the id of a refused request stays used, in seconds.
    private static let refusedRetention: TimeInterval = 86_400
    let transaction: StoreTransaction
    var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    // MARK: Tries

    /// Claims the waiting requests of no living worker, reports them as the commit's `pending`, and returns them in
    /// their order. One that cannot be read any more fails, and one that has been begun three times is set aside.
    /// Orders to the shop are left to the leader, so that none overlaps another.
    @discardableResult
    func claimPending() throws -> [AcceptedRequest] {
        var pending: [AcceptedRequest] = []
        // The run of the worker that claimed a request may have begun it.
        let rows = try connection.query(
            """
            update inbox set
                claimed_by = ?, tries = case when tries = 0 and claimed_by <> 0 then 1 else tries end
            where state = 0 and claimed_by <> ? and claimed_by not in (select id from worker)
                and (? = 1 or topic not like 'product.%')
            returning number, id, topic, request, origin, tries
            """, transaction.worker, transaction.worker, try WorkerRegistry(transaction).isLeader() ? 1 : 0,
            as: Int.self, RequestID.self, String.self, String.self, Int.self, Int.self
        ).sorted { $0.0 < $1.0 }
        for (_, id, topic, body, origin, tries) in rows {
            let frames = RequestFrames(topic: topic, body: body)
            let origin = RequestOrigin(rawValue: origin) ?? .client
            func fail(_ error: ContractError, isSetAside: Bool) throws {
                try SettlementStore(transaction).fail(
                    id, topic: topic, RequestFields(of: frames), origin: origin, error, isSetAside: isSetAside)
            }
            guard tries < Self.triesLimit else {
                let text = "the worker ended \(tries) times while it processed this request; it is set aside"
                try fail(ContractError(.internal, text), isSetAside: true)
                continue
            }
            do throws(ContractError) {
                // Its day was in range when it was accepted, whatever the clock says now.
                let request = try Request(frames, at: .distantFuture)
                pending.append(AcceptedRequest(id: id, request: request, origin: origin, tries: tries))
            } catch {
                try fail(error, isSetAside: false)
            }
        }
        transaction.changes.pending = pending
        return pending
    }

    /// Counts on disk that a request is about to be begun again; returns false if it has ended, or is another worker's.
    func begin(_ id: RequestID) throws(DatabaseError) -> Bool {
        try connection.execute(
            "update inbox set tries = tries + 1 where id = ? and state = 0 and claimed_by = ?", id, transaction.worker)
        return connection.changedRows > 0
    }

    func isClaimed(_ id: RequestID) throws(DatabaseError) -> Bool {
        try !connection.query(
            "select 1 from inbox where id = ? and state = 0 and claimed_by = ?", id, transaction.worker, as: Int.self
        ).isEmpty
    }

    /// Takes back what ``begin(_:)`` counted: the worker stopped in order, and the request waits for the next start.
    func takeBack(_ id: RequestID) throws(DatabaseError) {
        try connection.execute(
            "update inbox set tries = tries - 1 where id = ? and state = 0 and tries > 0 and claimed_by = ?", id,
            transaction.worker)
    }

    func setAside(_ id: RequestID) throws(DatabaseError) {
        try connection.execute("update inbox set set_aside = 1 where id = ?", id)
    }

    /// Returns the ids of the requests that were set aside, newest first, at most 20.
    func setAside() throws(DatabaseError) -> [RequestID] {
        try connection.query(
            "select id from inbox where set_aside = 1 order by number desc limit 20", as: RequestID.self)
    }

    // MARK: Ends

    /// Ends a request; returns false if it had ended before, or another worker has claimed it since.
    func settle(_ id: RequestID, as state: State) throws(DatabaseError) -> Bool {
        try connection.execute(
            "update inbox set state = ? where id = ? and state = 0 and claimed_by = ?", state.rawValue, id,
            transaction.worker)
        return connection.changedRows > 0
    }

    func state(of id: RequestID) throws(DatabaseError) -> State? {
        try connection.query("select state from inbox where id = ?", id, as: Int.self).first.flatMap(
            State.init(rawValue:))
    }

    /// Returns the requests that have an id, or that id, a dot and more, in the order in which they came.
    func requests(underID id: String) throws -> [(id: RequestID, acceptedAt: Date)] {
        // The slash is the character after the dot.
        try connection.query(
            "select id, accepted_at from inbox where id = ? or (id > ? and id < ?) order by number",
            id, "\(id).", "\(id)/", as: RequestID.self, String.self
        ).map { ($0, try Date($1, strategy: .iso8601)) }
    }

    /// Returns how a request ended, or that it has not; one that was never accepted counts as failed.
    func result(of id: RequestID?) throws -> RequestResult {
        guard let id, let state = try state(of: id) else { return .failed(.internal) }
        switch state {
        case .waiting: return .waiting
        case .done: return .done
        case .failed:
            let failed = try transaction.latest(.request(.failed, id))?.data(as: RequestFailed.self)
            return failed.map { RequestResult($0.error) } ?? .failed(.internal)
        }
    }

    func waitingCount() throws(DatabaseError) -> Int {
        try connection.query("select count(*) from inbox where state = 0", as: Int.self)[0]
    }

    /// Deletes ended requests of clients that were accepted before a time, and refused ones of more than a day.
    /// Requests of the schedule and the backfill stay: their number is bounded, and both look at earlier ones. Looks at
    /// `count` rows after `number`, and returns the one after which to go on; nil if none that is old enough is left.
    func expire(before date: Date, after number: Int, count: Int) throws(DatabaseError) -> Int? {
        try connection.execute(
            "delete from inbox where request = '' and accepted_at < ?",
            (transaction.now - Self.refusedRetention).toTheSecond)
        let rows = try connection.query(
            "select number, id, accepted_at, state, origin from inbox where number > ? order by number limit ?",
            number, count, as: Int.self, RequestID.self, String.self, Int.self, Int.self)
        let end = date.toTheSecond
        for (number, id, acceptedAt, state, origin) in rows {
            // Rows are in the order in which they came.
            guard acceptedAt < end else { return nil }
            guard state != State.waiting.rawValue, origin == RequestOrigin.client.rawValue else { continue }
            try connection.execute("delete from inbox where number = ?", number)
            try OrderStore(transaction).delete(id)
        }
        return rows.count == count ? rows.last?.0 : nil
    }
}

// MARK: - Retention

/// Deletes the requests that have ended long ago, and their events, once an hour. Charts, movies, products and
/// anomalies stay for ever.
struct RequestRetention: Service {
    /// The rows that one transaction looks at: others write between two of them.
    private static let batch = 1_000
    private static let pause = Duration.seconds(3_600)

    let store: WorkerStore
    let days: Int
    let runtime: Runtime
    private let wakeSignal = WakeSignal()

    func run() async throws {
        await wakeSignal.runLoop(runtime.clock) {
            do {
                try await expire { wakeSignal.isStopped }
            } catch {
                runtime.logger.warning("old requests cannot be deleted; trying again in an hour", [.error: "\(error)"])
            }
            return Self.pause
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Deletes what is too old, in short transactions, until nothing is left or `isStopped`.
    func expire(until isStopped: () -> Bool = { false }) async throws {
        let date = runtime.wallClock.now() - TimeInterval(days) * 86_400
        var last: Int? = 0
        while let number = last, !isStopped() {
            last = try await store.write { transaction in
                try RequestInbox(transaction).expire(before: date, after: number, count: Self.batch)
            }
        }
        var count = Self.batch
        while count == Self.batch, !isStopped() {
            count = try await store.write { transaction in
                try transaction.log.expireRequests(before: date, count: Self.batch, in: transaction.connection)
            }
        }
    }
}

// MARK: - Events of a request

extension EventDraft {
    init(done accepted: AcceptedRequest, events: [LoggedEvent], _ result: FetchResult) {
        let answers = events.map {
            RequestDone.Answer(topic: $0.topic.description, stream: $0.stream, sequence: $0.sequence)
        }
        self.init(
            .request(.done, accepted.id), correlationID: accepted.id, priority: accepted.request.priority,
            data: RequestDone(
                topic: accepted.request.topic.rawValue, events: answers, from: result.source,
                problems: result.problems
            ).json)
    }

    init(
        failed id: RequestID, topic: String, request: RequestFields, priority: Request.Priority = .live,
        _ error: ContractError
    ) {
        self.init(
            .request(.failed, id), correlationID: id, priority: priority,
            data: RequestFailed(topic: topic, request: request, error: error).json)
    }
}

extension Date {
    /// The instant in UTC to the second. Every request needs one, and Foundation's formatter is slow.
    var toTheSecond: String { Substring(rfc3339.utf8.prefix(19)) + "Z" }
}
