import Contract
import FoundationEssentials
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
}

/// The accepted requests, on disk until and after their end.
///
/// The table is in the log's database, so that a request's end and its events are one transaction.
struct RequestInbox: Sendable {
    /// The state of a request; the raw values are stored in the table.
    enum State: Int {
        case waiting = 0
        case done = 1
        case failed = 2
    }

    static let schema = Schema.Component(
        "inbox",
        migrations: [
            """
            create table inbox (
                number integer primary key,
                id text not null unique,
                topic text not null,
                body text not null,
                request text not null,
                accepted_at text not null,
                state integer not null default 0
            ) strict;
            create index inbox_waiting on inbox (number) where state = 0;
            """,
            // Before there was a column, the id named the origin. The slash is the character after the dot.
            """
            alter table inbox add column origin integer not null default 0;
            update inbox set origin = 1 where id > 'schedule.' and id < 'schedule/';
            update inbox set origin = 2 where id > 'backfill.' and id < 'backfill/';
            """,
        ])

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
    ///   - frames: What the client sent; it tells a repetition from a conflict.
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
            "select topic, body from inbox where id = ?", id, as: String.self, String.self)
        guard let (earlierTopic, earlierBody) = earlier.first else { return .overloaded }
        return earlierTopic == topic && earlierBody == frames.body ? .duplicate : .conflict
    }

    /// Stores a rejected request as failed, so that its id is used; returns false if it was used before.
    func reject(
        _ rejected: RejectedRequest, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        try insert(
            rejected.id, rejected.topic.rawValue, rejected.body, request: "", origin: .client, .failed, at: now,
            in: connection)
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
    ) throws(DatabaseError) -> [(id: RequestID, topic: String, request: String, origin: RequestOrigin)] {
        try connection.query(
            "select id, topic, request, origin from inbox where state = 0 order by number",
            as: RequestID.self, String.self, String.self, Int.self
        ).map { ($0, $1, $2, RequestOrigin(rawValue: $3) ?? .client) }
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
            insert into inbox (id, topic, body, request, accepted_at, state, origin) values (?, ?, ?, ?, ?, ?, ?)
            on conflict do nothing
            """, id, topic, body, request, now.toTheSecond, state.rawValue, origin.rawValue)
        return connection.changedRows > 0
    }
}

extension Date {
    /// The instant in UTC to the second. Every request needs one, and Foundation's formatter is slow.
    fileprivate var toTheSecond: String { Substring(rfc3339.utf8.prefix(19)) + "Z" }
}
