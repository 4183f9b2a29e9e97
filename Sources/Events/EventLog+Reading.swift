public import SQLite

extension EventLog {
    /// Some events of a stream, and how far the log has been looked through for them.
    public struct Page: Hashable, Sendable {
        /// The events, in order.
        public let events: [LoggedEvent]
        /// The place up to which nothing was left out: the next page is read after it.
        public let position: SequenceNumber
        /// Whether the stream goes on after `position`.
        public let more: Bool
    }

    /// The events of a stream after a place, those whose topic begins with `prefix`, at most `limit` of them.
    ///
    /// A page may have fewer, or none, although more follow: it looks no further than some ten thousand events.
    public func events(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Page {
        precondition(limit > 0, "a page has room for one event")
        let newest = try positions(in: connection)[stream] ?? .zero
        let end = min(newest, after.advanced(by: reach))
        let events = try connection.query(
            """
            select topic, sequence, body from event indexed by event_place
            where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?
            order by sequence limit ?
            """, stream, after, end, prefix, Self.end(of: prefix), limit,
            as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
        let filled = events.count == limit ? events.last?.sequence : nil
        let position = filled ?? max(after, end)
        return Page(events: events, position: position, more: position < newest)
    }

    /// The newest event of a topic.
    public func latest(_ topic: Topic, in connection: Connection) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic = ? and sequence = newest
            """, topic, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// The newest event of each topic that begins with `prefix`, in the topics' order, at most `limit` of them.
    public func latest(
        prefix: String, limit: Int, in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        precondition(limit > 0, "a page has room for one event")
        return try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic >= ? and topic < ? and sequence = newest
            order by topic limit ?
            """, prefix, Self.end(of: prefix), limit, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
    }

    /// The event that was appended with an id of its own.
    public func event(id: String, in connection: Connection) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            "select topic, sequence, body from event where id = ?", id, as: Topic.self, SequenceNumber.self,
            [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// The place of each stream's newest event; a stream without events is not there.
    public func positions(in connection: Connection) throws(DatabaseError) -> [Stream: SequenceNumber] {
        let rows = try connection.query(
            "select stream, newest from event_stream", as: Stream.self, SequenceNumber.self)
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The text after all topics that begin with `prefix`: their bytes are below 0x7f.
    private static func end(of prefix: String) -> String {
        prefix + "\u{7f}"
    }
}
