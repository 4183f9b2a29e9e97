import Contract
import FoundationEssentials
import Networking
import Operations
import SQLite
import Text

/// What became of a request that was handed to the inbox.
enum IntakeOutcome: Sendable {
    /// The request is new, and there is room for it.
    case accepted
    /// The same request was accepted before; it is done once.
    case duplicate
    /// The id was used for another request.
    case conflict
    /// The inbox is full.
    case overloaded

    /// The error of a request that is not accepted by an inbox with this limit; nil for one that is.
    func failure(limit: Int) -> ContractError? {
        switch self {
        case .accepted, .duplicate: nil
        case .conflict: ContractError(.conflict, "this id was used for another request", field: "id")
        case .overloaded: ContractError(.overloaded, "\(limit) requests are waiting", retryAfter: 60)
        }
    }
}

/// The accepted requests, on disk until and after their end.
///
/// The table is in the log's database, so that a request's end and its events are one transaction. It holds what was
/// understood of a request and the SHA-256 of what was sent, so that a client does not decide how much is stored.
struct RequestInbox: Sendable {
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
            set_aside integer not null default 0
        ) strict;
        create index inbox_waiting on inbox (number) where state = 0;
        create index inbox_set_aside on inbox (number) where set_aside = 1;
        create index inbox_refused on inbox (accepted_at) where request = '';
        """

    /// How often a request is begun. One that never ended, because the worker died each time, is not begun again.
    static let triesLimit = 3
    /// How long the id of a refused request stays used, in seconds.
    static let refusedRetention: TimeInterval = 86_400

    /// The most requests that may wait.
    let limit: Int

    /// Returns how many more requests may wait.
    func room(in connection: Connection) throws(DatabaseError) -> Int {
        try limit - waitingCount(in: connection)
    }

    /// Stores a request if it is new and there is room.
    ///
    /// - Parameters:
    ///   - accepted: The request.
    ///   - frames: What the client sent; it distinguishes a repetition from a conflict.
    ///   - state: Its first state: it waits, or the log has answered it.
    ///   - room: How many more requests may wait; the caller counts once for a batch.
    ///   - now: The time of the acceptance.
    ///   - connection: The transaction.
    func accept(
        _ accepted: AcceptedRequest, sentAs frames: RequestFrames, as state: State, room: Int, at now: Date,
        in connection: Connection
    ) throws(DatabaseError) -> IntakeOutcome {
        let (id, request) = (accepted.id, accepted.request)
        let topic = request.topic.rawValue
        if room > 0,
            try insert(
                id, topic, frames.body, request: request.frames.body, origin: accepted.origin, state, at: now,
                in: connection)
        {
            return .accepted
        }
        let earlier = try connection.query(
            "select topic, digest from inbox where id = ?", id, as: String.self, String.self)
        guard let earlier = earlier.first else { return .overloaded }
        return earlier == (topic, Self.digest(of: frames.body)) ? .duplicate : .conflict
    }

    /// Stores a rejected request as failed, so that its id is used; returns false if it was used before.
    func reject(
        _ rejected: RejectedRequest, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        try insert(
            rejected.id, rejected.topic.rawValue, rejected.body, request: "", origin: .client, .failed, at: now,
            in: connection)
    }

    /// Counts one try for each waiting request that has none: the run of the worker that accepted it may have begun it.
    func countFirstTries(in connection: Connection) throws(DatabaseError) {
        try connection.execute("update inbox set tries = 1 where state = 0 and tries = 0")
    }

    /// Counts that a request is about to be begun again; returns false if it has ended.
    func begin(_ id: RequestID, in connection: Connection) throws(DatabaseError) -> Bool {
        try connection.execute("update inbox set tries = tries + 1 where id = ? and state = 0", id)
        return connection.changedRows > 0
    }

    /// Takes back what ``begin(_:in:)`` counted: the worker stopped in order, and the request waits for the next start.
    func takeBack(_ id: RequestID, in connection: Connection) throws(DatabaseError) {
        try connection.execute("update inbox set tries = tries - 1 where id = ? and state = 0 and tries > 0", id)
    }

    /// Marks a request as one that is kept for the operator.
    func setAside(_ id: RequestID, in connection: Connection) throws(DatabaseError) {
        try connection.execute("update inbox set set_aside = 1 where id = ?", id)
    }

    /// Returns the ids of the requests that were set aside, newest first, at most 20.
    func setAside(in connection: Connection) throws(DatabaseError) -> [RequestID] {
        try connection.query(
            "select id from inbox where set_aside = 1 order by number desc limit 20", as: RequestID.self)
    }

    /// Ends a request; returns false if it had ended before.
    func settle(_ id: RequestID, as state: State, in connection: Connection) throws(DatabaseError) -> Bool {
        try connection.execute("update inbox set state = ? where id = ? and state = 0", state.rawValue, id)
        return connection.changedRows > 0
    }

    /// Returns the state of a request, or nil if it was never accepted.
    func state(of id: RequestID, in connection: Connection) throws(DatabaseError) -> State? {
        try connection.query("select state from inbox where id = ?", id, as: Int.self).first.flatMap(
            State.init(rawValue:))
    }

    /// Returns the requests that have an id, or that id, a dot and more, in the order in which they came.
    func requests(
        underID id: String, in connection: Connection
    ) throws -> [(id: RequestID, acceptedAt: Date, state: State)] {
        // The slash is the character after the dot.
        try connection.query(
            "select id, accepted_at, state from inbox where id = ? or (id > ? and id < ?) order by number",
            id, "\(id).", "\(id)/", as: RequestID.self, String.self, Int.self
        ).map { id, time, state in
            (id, try Date(time, strategy: .iso8601), State(rawValue: state) ?? .failed)
        }
    }

    /// Returns the requests that wait, in the order in which they came.
    func waiting(
        in connection: Connection
    ) throws(DatabaseError) -> [(id: RequestID, topic: String, request: String, origin: RequestOrigin, tries: Int)] {
        try connection.query(
            "select id, topic, request, origin, tries from inbox where state = 0 order by number",
            as: RequestID.self, String.self, String.self, Int.self, Int.self
        ).map { ($0, $1, $2, RequestOrigin(rawValue: $3) ?? .client, $4) }
    }

    /// Returns the number of requests that wait.
    func waitingCount(in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query("select count(*) from inbox where state = 0", as: Int.self)[0]
    }

    /// Inserts a request; returns false if its id is used.
    private func insert(
        _ id: RequestID, _ topic: String, _ body: String, request: String, origin: RequestOrigin, _ state: State,
        at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        try connection.execute(
            """
            insert into inbox (id, topic, digest, request, accepted_at, state, origin) values (?, ?, ?, ?, ?, ?, ?)
            on conflict do nothing
            """, id, topic, Self.digest(of: body), request, now.toTheSecond, state.rawValue, origin.rawValue)
        return connection.changedRows > 0
    }

    private static func digest(of body: String) -> String {
        SHA256.hexDigest(of: Array(body.utf8))
    }
}

// MARK: - Retention

extension RequestInbox {
    /// Deletes ended requests of clients that were accepted before a time, and refused ones of more than a day.
    ///
    /// Requests of the schedule and the backfill stay: their number is bounded, and both look at earlier ones.
    ///
    /// - Parameters:
    ///   - date: The time.
    ///   - now: The time now.
    ///   - number: The row after which to begin.
    ///   - count: The most rows to look at.
    ///   - connection: The transaction.
    /// - Returns: The row after which to go on; nil if no row that is old enough is left.
    func expire(
        before date: Date, now: Date, after number: Int, count: Int, in connection: Connection
    ) throws(DatabaseError) -> Int? {
        try connection.execute(
            "delete from inbox where request = '' and accepted_at < ?", (now - Self.refusedRetention).toTheSecond)
        let rows = try connection.query(
            "select number, id, accepted_at, state, origin from inbox where number > ? order by number limit ?",
            number, count, as: Int.self, RequestID.self, String.self, Int.self, Int.self)
        let end = date.toTheSecond
        for (number, id, acceptedAt, state, origin) in rows {
            // Rows are in the order in which they came.
            guard acceptedAt < end else { return nil }
            guard state != State.waiting.rawValue, origin == RequestOrigin.client.rawValue else { continue }
            try connection.execute("delete from inbox where number = ?", number)
            try OrderStore.delete(id, in: connection)
        }
        return rows.count == count ? rows.last?.0 : nil
    }
}

extension Date {
    /// The instant in UTC to the second. Every request needs one, and Foundation's formatter is slow.
    fileprivate var toTheSecond: String { Substring(rfc3339.utf8.prefix(19)) + "Z" }
}
