public import FoundationEssentials
public import SQLite

/// The log of all events that one process publishes, in a database that it shares with the process's other tables.
///
/// It works in the transaction of the connection it is given: an event and what led to it become durable together.
/// Publish what `append` returns only after that transaction's write has returned.
public struct EventLog: Sendable {
    /// The `source` of its events, such as `/marquee/worker`.
    public let source: String
    /// The log's name, a UUID: another log's numbers mean nothing in this one.
    public let epoch: String
    /// How many events a page looks at, however few have its prefix, so that none keeps other readers waiting long.
    var reach: UInt64 = 50_000
    /// How many bytes of events a page holds, if it holds more than one: it is in memory whole, once for each who asked.
    var pageBytes = 8 << 20

    /// Opens the log in a database whose schema has `EventLog.schema`, and proves that it is as it was written.
    public init(source: String, in connection: Connection) throws(DatabaseError) {
        try Self.prove(connection)
        try self.init(unproven: source, in: connection)
    }

    /// Opens the log for somebody who only reads a part of it, and proves nothing.
    init(unproven source: String, in connection: Connection) throws(DatabaseError) {
        self.source = source
        epoch = try connection.query("select max(epoch) from event_epoch", as: String.self)[0]
    }

    /// Appends events, in order, and returns them as they are to be published.
    ///
    /// A draft whose own id is in the log already is not written again: what was logged then is returned in its place.
    public func append(
        _ drafts: [EventDraft], at time: Date, in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        var events: [LoggedEvent] = []
        for draft in drafts {
            if let id = draft.id, let known = try event(id: id, in: connection) {
                events.append(known)
            } else {
                events.append(try append(draft, at: time, in: connection))
            }
        }
        return events
    }

    private func append(
        _ draft: EventDraft, at time: Date, in connection: Connection
    ) throws(DatabaseError) -> LoggedEvent {
        let stream = draft.topic.stream
        let topic = draft.topic.description
        let sequence = try connection.query(
            """
            insert into event_stream (stream, newest) values (?, 1)
            on conflict do update set newest = newest + 1 returning newest
            """, stream, as: SequenceNumber.self)[0]
        let previous = try connection.query(
            "select newest from event_topic where topic = ?", topic, as: SequenceNumber.self
        ).first
        let event = LoggedEvent(
            draft, source: source, time: time, epoch: epoch, sequence: sequence, previous: previous ?? .zero)
        try connection.execute(
            """
            insert into event_topic (topic, stream, newest) values (?, ?, ?)
            on conflict do update set newest = excluded.newest
            """, topic, stream, sequence)
        try connection.execute(
            "insert into event (stream, sequence, topic, id, body, checksum) values (?, ?, ?, ?, ?, ?)", stream,
            sequence, topic, draft.id, event.body, Checksum(of: event))
        return event
    }
}
