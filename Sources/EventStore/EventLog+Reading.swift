public import Contract
public import Storage

extension EventLog {
    /// Some events of a stream in order, the sequence up to which nothing was left out, and whether more events follow.
    public typealias Page = (events: [LoggedEvent], position: SequenceNumber, more: Bool)

    /// The newest events of some topics, the newest sequence of each stream at that time, and whether more topics follow.
    public typealias Snapshot = (events: [LoggedEvent], positions: [Stream: SequenceNumber], more: Bool)

    /// A page as the frames of a message, topic and body of each event, without parsing its events.
    public typealias Frames = (frames: [[UInt8]], position: SequenceNumber, more: Bool)

    /// Returns the events of a stream after a sequence whose topic begins with `prefix`, at most `limit` of them. A
    /// page may have none although more follow: it scans at most 50,000 events and holds at most 8 MiB.
    public func events(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Page {
        var events: [LoggedEvent] = []
        let (position, more) = try scan(
            stream, after: after, prefix: prefix, limit: limit, in: connection
        ) { sequence, name, body throws(DatabaseError) in
            guard let topic = Topic(String(decoding: name, as: UTF8.self)) else {
                throw connection.damage("event \(sequence) of the stream \(stream.rawValue) has an unreadable topic")
            }
            events.append(LoggedEvent(topic: topic, named: name, sequence: sequence, body: body))
        }
        return (events, position, more)
    }

    /// Returns the same page as frames of a message.
    public func frames(
        of stream: Stream, after: SequenceNumber, prefix: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Frames {
        var frames: [[UInt8]] = []
        let (position, more) = try scan(
            stream, after: after, prefix: prefix, limit: limit, in: connection
        ) { _, name, body in
            frames.append(name)
            frames.append(body)
        }
        return (frames, position, more)
    }

    /// Passes each event of a page to `body`; returns how far it has scanned, and whether more events follow.
    private func scan(
        _ stream: Stream, after: SequenceNumber, prefix: String, limit: Int, in connection: Connection,
        _ body: (SequenceNumber, _ topic: [UInt8], _ json: [UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> (position: SequenceNumber, more: Bool) {
        precondition(limit > 0, "the limit must be positive")
        let newest = try newest(of: stream, connection) ?? .zero
        // What was deleted is not scanned: a reader from the start gets the oldest events at once.
        let oldest = try oldest(of: stream, in: connection) ?? .zero
        let beginning = oldest > after.advanced(by: 1) ? oldest : after
        let end = min(newest, beginning.advanced(by: pageScanLimit))
        var last = max(after, end)
        var (count, bytes, isFull) = (0, 0, false)
        try connection.forEachRow(
            of: """
                select sequence, topic, body from event indexed by event_place
                where stream = ? and sequence > ? and sequence <= ? and topic >= ? and topic < ?
                order by sequence
                """, stream, after, end, prefix, Self.end(of: prefix)
        ) { row throws(DatabaseError) in
            let json = try row.bytes(2)
            bytes += json.count
            isFull = count > 0 && bytes > pageByteLimit
            guard !isFull else { return false }
            last = try row.value(0)
            count += 1
            try body(last, row.bytes(1), json)
            isFull = count == limit
            return !isFull
        }
        let position = isFull ? last : max(after, end)
        return (position, position < newest)
    }

    /// Returns the newest event of a topic.
    public func latest(_ topic: Topic, in connection: Connection) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic = ? and sequence = newest
            """, topic, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// Returns the newest event of the last topic that begins with `prefix` and sorts before `end`; nil if there is none.
    public func last(
        prefix: String, before end: String? = nil, in connection: Connection
    ) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic >= ? and topic < ? and sequence = newest
            order by topic desc limit 1
            """, prefix, end ?? Self.end(of: prefix), as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// Returns the newest event of each topic that begins with `prefix` and sorts after `after`, at most `limit` of them
    /// and 8 MiB.
    public func latest(
        prefix: String, after: String = "", limit: Int, in connection: Connection
    ) throws(DatabaseError) -> Snapshot {
        precondition(limit > 0, "the limit must be positive")
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
            more = events.count == limit || !events.isEmpty && bytes > pageByteLimit
            if !more { events.append(LoggedEvent(topic: try row.value(0), sequence: try row.value(1), body: body)) }
            return !more
        }
        return (events, positions, more)
    }

    /// Returns the event at a place.
    public func event(
        at sequence: SequenceNumber, of stream: Stream, in connection: Connection
    ) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            "select topic, sequence, body from event indexed by event_place where stream = ? and sequence = ?", stream,
            sequence, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// Returns the events of all streams after a number, in the order in which they were appended, each with its number:
    /// at most 8 MiB, unless the first is larger.
    public func events(
        after number: Int, limit: Int, in connection: Connection
    ) throws(DatabaseError) -> [(number: Int, event: LoggedEvent)] {
        var events: [(Int, LoggedEvent)] = []
        var bytes = 0
        try connection.forEachRow(
            of: "select number, topic, sequence, body from event where number > ? order by number limit ?", number,
            limit
        ) { row throws(DatabaseError) in
            let body = try row.bytes(3)
            bytes += body.count
            guard events.isEmpty || bytes <= pageByteLimit else { return false }
            events.append(
                (try row.value(0), LoggedEvent(topic: try row.value(1), sequence: try row.value(2), body: body)))
            return true
        }
        return events
    }

    /// Returns the number of the newest event of all streams; 0 if there is none.
    public func newestNumber(in connection: Connection) throws(DatabaseError) -> Int {
        try connection.query("select coalesce(max(number), 0) from event", as: Int.self)[0]
    }

    /// Returns the event that was appended with this id of its own.
    public func event(id: String, in connection: Connection) throws(DatabaseError) -> LoggedEvent? {
        try connection.query(
            "select topic, sequence, body from event where id = ?", id, as: Topic.self, SequenceNumber.self,
            [UInt8].self
        ).map(LoggedEvent.init).first
    }

    /// Returns all events of a topic, oldest first.
    public func events(about topic: Topic, in connection: Connection) throws(DatabaseError) -> [LoggedEvent] {
        try connection.query(
            """
            select topic, sequence, body from event indexed by event_place
            where stream = ? and topic = ? order by sequence
            """, topic.stream, topic, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
    }

    /// Returns the newest event of each topic that begins with `prefix`, in the order of topics, if its body contains
    /// `bytes`. An index of movies would be a second copy of the figures, for a question that takes 0.1 s over 23 years.
    public func latest(
        prefix: String, containing bytes: [UInt8], in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic >= ? and topic < ? and sequence = newest and instr(body, ?) > 0
            order by topic
            """, prefix, Self.end(of: prefix), bytes, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
    }

    /// Returns a text that sorts after all topics that begin with `prefix`, whose bytes are below 0x7f.
    static func end(of prefix: String) -> String {
        prefix + "\u{7f}"
    }
}
