public import Contract
public import SQLite

extension EventLog {
    /// All events of a topic, oldest first: nothing that was ever published is forgotten.
    public func all(of topic: Topic, in connection: Connection) throws(DatabaseError) -> [LoggedEvent] {
        try connection.query(
            """
            select topic, sequence, body from event indexed by event_place
            where stream = ? and topic = ? order by sequence
            """, topic.stream, topic, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
    }

    /// The newest event of each topic that begins with `prefix`, in the topics' order, if its body holds `bytes`.
    ///
    /// All bodies are looked through where they lie, and only those that hold the bytes are read.
    ///
    /// See docs/decisions/0010-movie-history-without-an-index.md.
    public func latest(
        prefix: String, holding bytes: [UInt8], in connection: Connection
    ) throws(DatabaseError) -> [LoggedEvent] {
        try connection.query(
            """
            select topic, sequence, body from event_topic join event using (stream, topic)
            where topic >= ? and topic < ? and sequence = newest and instr(body, ?) > 0
            order by topic
            """, prefix, Self.end(of: prefix), bytes, as: Topic.self, SequenceNumber.self, [UInt8].self
        ).map(LoggedEvent.init)
    }
}
