import Contract
import FoundationEssentials
import Operations
import SQLite
import Text

/// The requests that were accepted, on disk, until and after their end.
///
/// It lives in the log's database, so that a request's end and its events are one transaction.
struct RequestInbox: Sendable {
    /// What became of a request that was offered.
    enum Answer: Sendable {
        /// It is new, and there is room for it.
        case accepted
        /// The same request was accepted before; it is or was done once.
        case known
        /// Its id was used with another body.
        case conflict
        /// There is no room.
        case overloaded
    }

    /// How far a request has come; the raw values are in the table.
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
            // Before there was a column, the id said who asks. The slash is the character after the dot.
            """
            alter table inbox add column origin integer not null default 0;
            update inbox set origin = 1 where id > 'schedule.' and id < 'schedule/';
            update inbox set origin = 2 where id > 'backfill.' and id < 'backfill/';
            """,
        ])

    /// How many requests may wait.
    let limit: Int

    /// How many more requests may wait.
    func room(in connection: Connection) throws(DatabaseError) -> Int {
        try limit - waitingCount(in: connection)
    }

    /// Takes a request in that is offered, if it is new and there is so much `room`, which is counted once for many, and says
    /// what became of it; `frames` are what the client sent, by which a repetition is told from a conflict. It waits, or is
    /// done as it comes.
    func take(
        _ accepted: AcceptedRequest, sentAs frames: RequestFrames, as state: State, room: Int, at now: Date,
        in connection: Connection
    ) throws(DatabaseError) -> Answer {
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
        return earlierTopic == topic && earlierBody == frames.body ? .known : .conflict
    }

    /// Remembers that a request was refused, so that its id has had its end; false if it had one before.
    func refuse(
        _ refused: WorkerStore.RejectedRequest, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        try insert(
            refused.id, refused.topic.rawValue, refused.body, request: "", origin: .client, .failed, at: now,
            in: connection)
    }

    /// Ends a request; false if it has ended before.
    func settle(_ id: RequestID, as state: State, in connection: Connection) throws(DatabaseError) -> Bool {
        try connection.execute("update inbox set state = ? where id = ? and state = 0", state.rawValue, id)
        return connection.changedRows > 0
    }

    /// How far a request has come, or nil if it was never accepted.
    func state(of id: RequestID, in connection: Connection) throws(DatabaseError) -> State? {
        try connection.query("select state from inbox where id = ?", id, as: Int.self).first.flatMap(
            State.init(rawValue:))
    }

    /// The requests that wait, in the order they came.
    func waiting(
        in connection: Connection
    ) throws(DatabaseError) -> [(id: RequestID, topic: String, request: String, origin: RequestOrigin)] {
        try connection.query(
            "select id, topic, request, origin from inbox where state = 0 order by number",
            as: RequestID.self, String.self, String.self, Int.self
        ).map { ($0, $1, $2, RequestOrigin(rawValue: $3) ?? .client) }
    }

    /// How many requests wait.
    func waitingCount(in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query("select count(*) from inbox where state = 0", as: Int.self)[0]
    }

    /// Adds a request; false if its id is taken.
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
    /// The instant in UTC, without a fraction of a second. Every request has one, and Foundation's style takes its time.
    fileprivate var toTheSecond: String { Substring(rfc3339.utf8.prefix(19)) + "Z" }
}
