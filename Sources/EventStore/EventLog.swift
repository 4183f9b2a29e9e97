public import Contract
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
    /// A draft whose own id is in the log already is not written again: what was logged then is returned in its place. An
    /// id belongs to one topic; a write that gives it to another fails.
    public func append(
        _ drafts: [EventDraft], at time: Date, in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        try appendEach(of: drafts, at: time, in: connection).map(\.event)
    }

    /// Appends events likewise, and tells which of them were not in the log.
    public func appendEach(
        of drafts: [EventDraft], at time: Date, in connection: Connection
    ) throws(DatabaseError) -> [(event: LoggedEvent, isNew: Bool)] {
        var events: [(event: LoggedEvent, isNew: Bool)] = []
        events.reserveCapacity(drafts.count)
        // Looked up once: many drafts have one stream.
        var places: [Stream: SequenceNumber] = [:]
        for draft in drafts {
            let stream = draft.topic.stream
            let topic = draft.topic.description
            let last = if let place = places[stream] { place } else { try newest(of: stream, connection) ?? .zero }
            let sequence = last.advanced(by: 1)
            var previous = SequenceNumber.zero
            if try !begin(topic, of: stream, at: sequence, in: connection) {
                if let id = draft.id, let known = try event(id: id, in: connection) {
                    events.append((known, false))
                    continue
                }
                previous = try newest(topic, connection) ?? .zero
                try connection.execute("update event_topic set newest = ? where topic = ?", sequence, topic)
            }
            let event = LoggedEvent(
                draft, named: topic, source: source, time: time, epoch: epoch, sequence: sequence, previous: previous)
            try connection.execute(
                "insert into event (stream, sequence, topic, id, body, checksum) values (?, ?, ?, ?, ?, ?)", stream,
                sequence, topic, draft.id, event.body, Checksum(of: event))
            places[stream] = sequence
            events.append((event, true))
        }
        return events
    }

    /// The place of a topic's newest event.
    public func newest(_ topic: Topic, in connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try newest(topic.description, connection)
    }

    private func newest(_ topic: String, _ connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query("select newest from event_topic where topic = ?", topic, as: SequenceNumber.self).first
    }

    /// The place of a stream's newest event.
    func newest(of stream: Stream, _ connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query(
            "select sequence from event where stream = ? order by sequence desc limit 1", stream,
            as: SequenceNumber.self
        ).first
    }

    /// Notes the first event of a topic; returns whether it is, as most are: a request's, an alert's, the first revision
    /// of a day's chart.
    private func begin(
        _ topic: String, of stream: Stream, at sequence: SequenceNumber, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        try connection.execute(
            "insert into event_topic (topic, stream, newest) values (?, ?, ?) on conflict do nothing", topic, stream,
            sequence)
        return connection.changedRows > 0
    }
}
