public import Contract
public import FoundationEssentials
public import Storage

/// The log of all events that one process publishes, in the database that holds the process's other tables as well.
/// Every method works in the transaction of the connection it is given, so that an event and what caused it become
/// durable together. Publish what `append` returns only after that transaction has been committed.
public struct EventLog: Sendable {
    /// The `source` of the log's events, such as `/marquee/worker`.
    public let source: String
    /// The log's name, a UUID. Sequences are comparable only within one epoch.
    public let epoch: String
    /// The number of events that reading a page scans at most, so that a rare prefix does not delay other readers.
    var pageScanLimit: UInt64 = 50_000
    /// The size of a page in bytes, unless its first event is larger: each reader has a whole page in memory.
    var pageByteLimit = 8 << 20

    /// Opens the log in a database whose schema has ``tables``; throws `corrupt` if an event was changed or lost.
    public init(source: String, in connection: Connection) throws(DatabaseError) {
        try Self.verify(connection)
        try self.init(unverified: source, in: connection)
    }

    /// Opens the log for reading a part of it, without verifying it.
    init(unverified source: String, in connection: Connection) throws(DatabaseError) {
        self.source = source
        epoch = try connection.query("select max(epoch) from event_epoch", as: String.self)[0]
    }

    // MARK: - Append

    /// Appends events in order and returns them as they are to be published. A draft whose own id is in the log already
    /// is not appended again: the event that was logged then is returned in its place. An id that is in the log with
    /// another topic is an error.
    public func append(
        _ drafts: [EventDraft], at time: Date, in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        try appendEach(of: drafts, at: time, in: connection).map(\.event)
    }

    /// Appends events as `append` does and also returns which of them are new.
    public func appendEach(
        of drafts: [EventDraft], at time: Date, in connection: Connection
    ) throws(DatabaseError) -> [(event: LoggedEvent, isNew: Bool)] {
        // Queried once for each stream, because many drafts share one.
        var newestByStream: [Stream: SequenceNumber] = [:]
        for stream in Set(drafts.map(\.topic.stream)) { newestByStream[stream] = try newest(of: stream, connection) }
        // Numbered as if the log had none of the drafts, so that a server gets all topics in one message.
        var last = newestByStream
        let places = drafts.map { draft in
            let stream = draft.topic.stream
            let place = last[stream, default: .zero].advanced(by: 1)
            last[stream] = place
            return (draft.topic.description, stream, place)
        }
        // Insert before select: most events are the first of their topic, such as a request's or an alert's.
        let inserted = try connection.executeEach(
            "insert into event_topic (topic, stream, newest) values (?, ?, ?) on conflict do nothing", places)
        last = newestByStream
        var events: [(event: LoggedEvent, isNew: Bool)] = []
        var rows: [(Stream, SequenceNumber, String, String?, [UInt8], Int)] = []
        var newByID: [String: LoggedEvent] = [:]
        for (index, draft) in drafts.enumerated() {
            let (topic, stream, place) = places[index]
            let isFirst = inserted[index] > 0
            if !isFirst, let id = draft.id {
                let known = if let new = newByID[id] { new as LoggedEvent? } else { try event(id: id, in: connection) }
                if let known {
                    events.append((known, false))
                    continue
                }
            }
            let sequence = last[stream, default: .zero].advanced(by: 1)
            last[stream] = sequence
            let previous = isFirst ? .zero : try newest(topic, connection) ?? .zero
            if !isFirst || sequence != place {
                try connection.execute("update event_topic set newest = ? where topic = ?", sequence, topic)
            }
            let event = LoggedEvent(
                draft, named: topic, source: source, time: time, epoch: epoch, sequence: sequence, previous: previous)
            events.append((event, true))
            rows.append((stream, sequence, topic, draft.id, event.body, event.checksum))
            if let id = draft.id { newByID[id] = event }
        }
        try connection.executeEach(
            "insert into event (stream, sequence, topic, id, body, checksum) values (?, ?, ?, ?, ?, ?)", rows)
        return events
    }

    // MARK: - Sequences

    private func newest(_ topic: String, _ connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query("select newest from event_topic where topic = ?", topic, as: SequenceNumber.self).first
    }

    func newest(of stream: Stream, _ connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query(
            "select sequence from event where stream = ? order by sequence desc limit 1", stream,
            as: SequenceNumber.self
        ).first
    }

    /// Returns the sequence of a stream's oldest event; nil if it has none.
    public func oldest(of stream: Stream, in connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query(
            "select sequence from event indexed by event_place where stream = ? order by sequence limit 1", stream,
            as: SequenceNumber.self
        ).first
    }

    /// Returns the sequence of each stream's newest event, without the streams that have none.
    public func positions(in connection: Connection) throws(DatabaseError) -> [Stream: SequenceNumber] {
        var positions: [Stream: SequenceNumber] = [:]
        for stream in Stream.allCases { positions[stream] = try newest(of: stream, connection) }
        return positions
    }
}

// MARK: - Retention

extension EventLog {
    /// Deletes the oldest events of the stream `request` that are older than a time, and their topics. No other stream
    /// loses events. The rest of the stream has no holes, and its newest event stays, so that sequences go on. Returns
    /// the number of deleted events, at most `count`; fewer if no older one is left.
    public func expireRequests(before date: Date, count: Int, in connection: Connection) throws(DatabaseError) -> Int {
        guard let newest = try newest(of: .request, connection) else { return 0 }
        // Events are in the order of their times, unless the clock was set back; then they stay longer.
        let rows = try connection.query(
            """
            select number, sequence, topic, body
            from event indexed by event_place where stream = ? and sequence < ? order by sequence limit ?
            """, Stream.request, newest, count, as: Int.self, SequenceNumber.self, String.self, [UInt8].self)
        let expired = rows.prefix { _, _, topic, body in
            // An event that cannot be read has no time, and goes with its neighbours.
            guard let topic = Topic(topic), let event = try? Event(topic: topic, body: body) else { return true }
            return event.time < date
        }
        for (number, sequence, topic, _) in expired {
            try connection.execute("delete from event where number = ?", number)
            try connection.execute("delete from event_topic where topic = ? and newest <= ?", topic, sequence)
        }
        return expired.count
    }
}

// MARK: - Schema

extension EventLog {
    /// The script that makes the log's tables, for the schema of the database that holds the log.
    ///
    /// Topics are compared byte by byte (SQLite's `binary` collation). `event_place` includes the topic, so that a page of
    /// one prefix skips other events without reading them. The epoch is a random UUID that is made with the tables. An id
    /// is stored only if it was given, because the others follow from the sequence.
    public static let tables = """
        create table event_epoch (epoch text not null) strict;
        insert into event_epoch (epoch) values (gen_random_uuid());

        create table event (
            number integer primary key,
            stream text not null,
            sequence integer not null,
            topic text not null,
            id text,
            body blob not null,
            checksum integer not null
        ) strict;
        create unique index event_place on event (stream, sequence, topic);
        create unique index event_id on event (id) where id is not null;

        create table event_topic (
            topic text primary key,
            stream text not null,
            newest integer not null
        ) strict, without rowid;
        """
}

// MARK: - Columns

extension SequenceNumber: Storable {
    /// The number as an integer.
    public var stored: StoredValue { .integer(Int64(value)) }

    /// Makes a sequence number from an integer in range.
    public init?(stored: StoredValue) {
        guard let number = Int(stored: stored), let value = UInt64(exactly: number) else { return nil }
        self.init(value)
    }
}

extension Stream: Storable {
    /// The stream's word.
    public var stored: StoredValue { .text(rawValue) }

    /// Makes a stream from its word.
    public init?(stored: StoredValue) {
        guard let word = String(stored: stored) else { return nil }
        self.init(rawValue: word)
    }
}

extension Topic: Storable {
    /// The topic as text.
    public var stored: StoredValue { .text(description) }

    /// Makes a topic from its text.
    public init?(stored: StoredValue) {
        guard let text = String(stored: stored) else { return nil }
        self.init(text)
    }
}

extension RequestID: Storable {
    /// The id as text.
    public var stored: StoredValue { .text(description) }

    /// Makes an id from its text.
    public init?(stored: StoredValue) {
        guard let text = String(stored: stored) else { return nil }
        self.init(text)
    }
}
