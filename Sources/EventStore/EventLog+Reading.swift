public import Contract
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

    /// A page whose events nobody reads on their way.
    public struct Frames: Sendable {
        /// Each event's topic and body, in order.
        public var frames: [[UInt8]] = []
        /// The place up to which nothing was left out.
        public var position: SequenceNumber
        /// Whether the stream goes on after `position`.
        public var more: Bool
    }

    /// The events of a stream after a place, those whose topic begins with `prefix`, at most `limit` of them.
    ///
    /// A page may have fewer, or none, although more follow: it looks no further than some ten thousand events, and
    /// holds no more than some megabytes.
    public func events(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Page {
        var events: [LoggedEvent] = []
        let (position, more) = try look(
            through: stream, after: after, prefix: prefix, limit: limit, in: connection
        ) { sequence, name, body throws(DatabaseError) in
            guard let topic = Topic(String(decoding: name, as: UTF8.self)) else {
                throw connection.damage("event \(sequence) of \(stream.rawValue) has no topic")
            }
            events.append(LoggedEvent(topic: topic, named: name, sequence: sequence, body: body))
        }
        return Page(events: events, position: position, more: more)
    }

    /// The same events as frames of a message.
    public func frames(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Frames {
        var frames: [[UInt8]] = []
        let (position, more) = try look(
            through: stream, after: after, prefix: prefix, limit: limit, in: connection
        ) { _, name, body in
            frames.append(name)
            frames.append(body)
        }
        return Frames(frames: frames, position: position, more: more)
    }

    /// Hands the events of a page to `take`; returns how far it has looked, and whether the stream goes on after that.
    private func look(
        through stream: Stream, after: SequenceNumber, prefix: String, limit: Int, in connection: Connection,
        _ take: (SequenceNumber, _ topic: [UInt8], _ body: [UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> (position: SequenceNumber, more: Bool) {
        precondition(limit > 0, "a page has room for one event")
        let newest = try newest(of: stream, connection) ?? .zero
        let end = min(newest, after.advanced(by: reach))
        var last = max(after, end)
        var (count, bytes, isFull) = (0, 0, false)
        try connection.forEachRow(
            of: """
                select sequence, topic, body from event indexed by event_place
                where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?
                order by sequence
                """, stream, after, end, prefix, Self.end(of: prefix)
        ) { row throws(DatabaseError) in
            let body = try row.bytes(2)
            bytes += body.count
            isFull = count > 0 && bytes > pageBytes
            guard !isFull else { return false }
            last = try row.value(0)
            count += 1
            try take(last, row.bytes(1), body)
            isFull = count == limit
            return !isFull
        }
        let position = isFull ? last : max(after, end)
        return (position, position < newest)
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
        var events: [LoggedEvent] = []
        var (bytes, more) = (0, false)
        try connection.forEachRow(
            of: """
                select topic, sequence, body from event_topic join event using (stream, topic)
                where topic >= ? and topic < ? and topic > ? and sequence = newest
                order by topic
                """, prefix, Self.end(of: prefix), after
        ) { row throws(DatabaseError) in
            let body = try row.bytes(2)
            bytes += body.count
            more = events.count == limit || !events.isEmpty && bytes > pageBytes
            if !more { events.append(LoggedEvent(topic: try row.value(0), sequence: try row.value(1), body: body)) }
            return !more
        }
        return Snapshot(events: events, positions: positions, more: more)
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
        var positions: [Stream: SequenceNumber] = [:]
        for stream in Stream.allCases { positions[stream] = try newest(of: stream, connection) }
        return positions
    }

    /// The text after all topics that begin with `prefix`: their bytes are below 0x7f.
    static func end(of prefix: String) -> String {
        prefix + "\u{7f}"
    }
}
