import CXXHash
import Contract
import FoundationEssentials
public import Storage

// MARK: - Verification

extension EventLog {
    /// Verifies that no event was changed or lost, which SQLite's own integrity check does not notice. Takes some
    /// seconds per gigabyte. See docs/decisions/event-log-integrity.md.
    public static func verify(_ connection: Connection) throws(DatabaseError) {
        try forEachEvent(in: connection) { _, event, checksum throws(DatabaseError) in
            guard checksum == event.checksum else {
                throw connection.damage(to: event, "does not match its checksum")
            }
        }
        let streams = try connection.query(
            """
            select stream, newest, count(sequence), min(sequence), max(sequence)
            from (select stream, max(newest) as newest from event_topic group by stream) as topic
                left join event using (stream)
            group by stream, newest
            """, as: String.self, Int.self, Int.self, Int?.self, Int?.self)
        for (stream, newest, count, first, last) in streams {
            // A stream has every sequence from its oldest event to the newest that a topic has.
            guard let first, last == newest, count == newest - first + 1 else {
                throw connection.damage("events are missing from the stream \(stream)")
            }
        }
    }

    /// Passes each event to `body` in the order of the log, with its row number and its checksum: 100 are read at a time,
    /// because a log may be larger than memory.
    private static func forEachEvent(
        in connection: Connection, _ body: (Int, LoggedEvent, Int) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var last: Int? = 0
        while let after = last {
            let rows = try connection.query(
                """
                select number, topic, sequence, body, checksum from event where number > ? order by number limit 100
                """, after, as: Int.self, Topic.self, SequenceNumber.self, [UInt8].self, Int.self)
            for (number, topic, sequence, bytes, checksum) in rows {
                try body(number, LoggedEvent(topic: topic, sequence: sequence, body: bytes), checksum)
            }
            last = rows.last?.0
        }
    }
}

// MARK: - Epoch

extension EventLog {
    /// Gives the log of a database a new epoch and returns it; the events stay.
    ///
    /// A log that continues from an older state, as after a restore, assigns sequences that readers have seen before; the
    /// new epoch makes the two distinguishable. The existing events move to the new epoch and keep their ids, by which a
    /// reader that starts over recognizes them.
    static func beginEpoch(in connection: Connection) throws(DatabaseError) -> String {
        let old = try connection.query("select max(epoch) from event_epoch", as: String.self)[0]
        let new = UUID().uuidString.lowercased()
        try connection.execute("update event_epoch set epoch = ?", new)
        try forEachEvent(in: connection) { number, event, _ throws(DatabaseError) in
            let (envelope, moved): (Event, LoggedEvent)
            do throws(DecodingError) {
                envelope = try Event(topic: event.topic, body: event.body)
                moved = try LoggedEvent(envelope, epoch: new)
            } catch {
                throw connection.damage(to: event, "cannot be read: \(error)")
            }
            guard envelope.epoch == old else { throw connection.damage(to: event, "belongs to another epoch") }
            try connection.execute(
                "update event set body = ?, checksum = ? where number = ?", moved.body, moved.checksum, number)
        }
        return new
    }
}

extension LoggedEvent {
    /// A 64-bit checksum of the topic, a zero byte and the body: XXH3, from libxxhash. It detects damage, not forgery.
    var checksum: Int {
        // Allocated by the library, because the state must be aligned to 64 bytes.
        guard let state = XXH3_createState() else { preconditionFailure("out of memory") }
        defer { XXH3_freeState(state) }
        XXH3_64bits_reset(state)
        for part in [frames[0], [0], body] { XXH3_64bits_update(state, part, part.count) }
        return Int(bitPattern: UInt(XXH3_64bits_digest(state)))
    }
}

extension Connection {
    fileprivate func damage(to event: LoggedEvent, _ problem: String) -> DatabaseError {
        damage("event \(event.sequence) of the stream \(event.stream.rawValue) \(problem)")
    }
}
