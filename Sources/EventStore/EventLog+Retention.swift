public import Contract
public import FoundationEssentials
public import Storage

extension EventLog {
    /// Deletes the oldest events of the stream `request` that are older than a time, and their topics.
    ///
    /// No other stream loses events. The rest of the stream has no holes, and its newest event stays, so that sequences
    /// go on. ``events(of:after:prefix:limit:in:)`` begins with the oldest event that is left.
    ///
    /// - Parameters:
    ///   - date: The time.
    ///   - count: The most events to delete at once.
    ///   - connection: The transaction.
    /// - Returns: The number of deleted events; fewer than `count` if no older one is left.
    public func expireRequests(
        before date: Date, count: Int, in connection: Connection
    ) throws(DatabaseError) -> Int {
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

    /// Returns the sequence of a stream's oldest event; nil if it has none.
    public func oldest(of stream: Stream, in connection: Connection) throws(DatabaseError) -> SequenceNumber? {
        try connection.query(
            "select sequence from event indexed by event_place where stream = ? order by sequence limit 1", stream,
            as: SequenceNumber.self
        ).first
    }
}
