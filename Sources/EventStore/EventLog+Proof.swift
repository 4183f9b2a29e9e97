import Contract
public import SQLite

extension EventLog {
    /// Proves that no event was changed or has gone: what SQLite does not look at when it proves a file whole.
    ///
    /// An error of kind `corrupt` names the first event that is not as it was written. Takes some seconds per gigabyte.
    ///
    /// See docs/decisions/0006-event-log-integrity.md.
    public static func prove(_ connection: Connection) throws(DatabaseError) {
        try forEachEvent(in: connection) { _, event, checksum throws(DatabaseError) in
            guard checksum?.fits(event) ?? true else {
                throw connection.damage("event \(event.sequence) of \(event.stream.rawValue) is not as it was written")
            }
        }
        let streams = try connection.query(
            """
            select stream, newest, count(sequence), min(sequence), max(sequence)
            from (select stream, max(newest) as newest from event_topic group by stream) left join event using (stream)
            group by stream
            """, as: String.self, Int.self, Int.self, Int?.self, Int?.self)
        for (stream, newest, count, first, last) in streams {
            // From its oldest event to the newest that a topic has, a stream has all places.
            guard let first, last == newest, count == newest - first + 1 else {
                throw connection.damage("the stream \(stream) lacks events")
            }
        }
    }

    /// Hands each event with its number and its checksum, if it has one, to `body`, in the order of the log.
    ///
    /// Some are read at a time, for a log may be larger than the memory.
    static func forEachEvent(
        in connection: Connection, _ body: (Int, LoggedEvent, Checksum?) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var last: Int? = 0
        while let after = last {
            let rows = try connection.query(
                "select number, topic, sequence, body, checksum from event where number > ? order by number limit 100",
                after, as: Int.self, Topic.self, SequenceNumber.self, [UInt8].self, Checksum?.self)
            for (number, topic, sequence, bytes, checksum) in rows {
                try body(number, LoggedEvent(topic: topic, sequence: sequence, body: bytes), checksum)
            }
            last = rows.last?.0
        }
    }
}
