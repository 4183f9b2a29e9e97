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

    /// The newest events of some topics, and how far the log had come when they were the newest.
    public struct Snapshot: Hashable, Sendable {
        /// The events, in their topics' order.
        public let events: [LoggedEvent]
        /// The place of each stream's newest event: what came later is after it.
        public let positions: [Stream: SequenceNumber]
        /// Whether further topics follow.
        public let more: Bool
    }

    /// The events of a stream after a place, those whose topic begins with `prefix`, at most `limit` of them.
    ///
    /// A page may have fewer, or none, although more follow: it looks no further than some ten thousand events, and
    /// holds no more than some megabytes.
    public func events(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Page {
        precondition(limit > 0, "a page has room for one event")
        let newest = try positions(in: connection)[stream] ?? .zero
        let end = min(newest, after.advanced(by: reach))
        // Sizes first: SQLite tells a body's length without reading it.
        let sizes = try connection.query(
            """
            select sequence, length(body) from event indexed by event_place
            where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?
            order by sequence limit ?
            """, stream, after, end, prefix, Self.end(of: prefix), limit, as: SequenceNumber.self, Int.self)
        let count = room(for: sizes.map(\.1))
        guard count > 0 else { return Page(events: [], position: max(after, end), more: end < newest) }
        let last = sizes[count - 1].0
        let events = try connection.query(
            """
            select topic, sequence, body from event indexed by event_place
            where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?
            order by sequence
            """, stream, after, last, prefix, Self.end(of: prefix), as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
        let position = count == limit || count < sizes.count ? last : max(after, end)
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

    /// The newest event of each topic that begins with `prefix`, of topics after `after`, at most `limit` of them.
    ///
    /// It may have fewer although more follow: it holds no more than some megabytes.
    public func latest(
        prefix: String, after: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Snapshot {
        precondition(limit > 0, "a page has room for one event")
        let positions = try positions(in: connection)
        let sizes = try connection.query(
            """
            select topic, length(body) from event_topic join event using (stream, topic)
            where topic >= ? and topic < ? and topic > ? and sequence = newest
            order by topic limit ?
            """, prefix, Self.end(of: prefix), after, limit + 1, as: String.self, Int.self)
        let count = min(room(for: sizes.map(\.1)), limit)
        guard count > 0 else { return Snapshot(events: [], positions: positions, more: false) }
        let events = try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic >= ? and topic <= ? and topic > ? and sequence = newest
            order by topic
            """, prefix, sizes[count - 1].0, after, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
        return Snapshot(events: events, positions: positions, more: count < sizes.count)
    }

    /// How many events of these sizes a page takes, at least one.
    private func room(for sizes: [Int]) -> Int {
        var bytes = 0
        let count = sizes.prefix { size in
            bytes += size
            return bytes <= pageBytes
        }.count
        return sizes.isEmpty ? 0 : max(1, count)
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
    static func end(of prefix: String) -> String {
        prefix + "\u{7f}"
    }
}
