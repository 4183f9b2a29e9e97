public import Contract
public import SQLite

extension EventLog {
    /// What a stream of the log holds.
    public struct Summary: Hashable, Sendable, Encodable {
        /// An event's place and time.
        public struct Place: Hashable, Sendable, Encodable {
            /// Its place in the stream.
            public let sequence: SequenceNumber
            /// When it entered the log, as its envelope says.
            public let time: String
        }

        /// How many events there are.
        public let events: Int
        /// How many topics they are about.
        public let topics: Int
        /// The first of them.
        public let oldest: Place
        /// The last of them.
        public let newest: Place
    }

    /// What each stream holds; one without events is not there.
    public func summaries(in connection: Connection) throws -> [Stream: Summary] {
        let rows = try connection.query(
            """
            select stream, count(*), min(sequence), max(sequence),
                (select count(*) from event_topic where event_topic.stream = event.stream)
            from event group by stream
            """, as: Stream.self, Int.self, SequenceNumber.self, SequenceNumber.self, Int.self)
        var summaries: [Stream: Summary] = [:]
        for (stream, count, oldest, newest, topics) in rows {
            summaries[stream] = Summary(
                events: count, topics: topics, oldest: try place(oldest, in: stream, connection),
                newest: try place(newest, in: stream, connection))
        }
        return summaries
    }

    private func place(
        _ sequence: SequenceNumber, in stream: Stream, _ connection: Connection
    ) throws -> Summary.Place {
        let row = try connection.query(
            "select topic, body from event where stream = ? and sequence = ?", stream, sequence, as: Topic.self,
            [UInt8].self)[0]
        return Summary.Place(sequence: sequence, time: Timestamp.text(try Event(topic: row.0, body: row.1).time))
    }
}
