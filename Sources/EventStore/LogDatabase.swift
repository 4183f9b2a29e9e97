public import Contract
public import Storage

/// The database of a process that has a log, for tools that inspect, copy and restore it from outside the process. Its
/// methods block the calling thread for some seconds per gigabyte and verify the log, unless they say otherwise.
public struct LogDatabase: Sendable {
    /// Where the database is.
    public let location: DatabaseLocation
    /// The process that writes the log, such as `worker`.
    public let owner: String
    private let schema: Schema

    /// Names a database, without opening it.
    public init(_ location: DatabaseLocation, owner: String, schema: Schema) {
        self.location = location
        self.owner = owner
        self.schema = schema
    }

    /// What messages call the database: its path, or its address without the password.
    public var name: String { location.name }

    // MARK: - Reading

    /// Runs `body` on the log as of the last commit; the process may continue to write.
    public func read<Value>(_ body: (EventLog, Connection) throws -> Value) throws -> Value {
        try Database.inspect(location, schema: schema) { connection in
            try body(try EventLog(source: "/marquee/\(owner)", in: connection), connection)
        }
    }

    /// Runs `body` on the charts of a worker's log as of the last commit, without verifying the log.
    public func history<Value>(
        onUnreadable: @escaping (LoggedEvent, DecodingError) -> Void, _ body: (ChartHistory) throws -> Value
    ) throws -> Value {
        try Database.inspect(location, schema: schema) { connection in
            let log = try EventLog(unverified: "/marquee/\(owner)", in: connection)
            return try body(ChartHistory(log: log, connection: connection, onUnreadable: onUnreadable))
        }
    }

    /// Returns a summary of what the log holds.
    public func contents() throws -> Contents {
        try read { log, connection in
            Contents(
                file: name, bytes: try connection.size(), epoch: log.epoch, streams: try log.summaries(in: connection))
        }
    }

    /// Whether the file at `path` is a readable database of the same kind of process.
    public func fits(_ path: String) -> Bool {
        // The error is reported when the file is opened for use.
        (try? Database.inspect(.file(path), schema: schema) { _ in true }) ?? false
    }

    /// Asks the server of the database about itself; returns nil for a file.
    public func serverReport() throws(DatabaseError) -> ServerReport? {
        guard case .server(let server) = location else { return nil }
        return try ServerReport(of: server, schema)
    }

    // MARK: - Backup and restore

    /// Copies the database to a file that does not exist yet; the process may continue to write.
    public func backUp(to destination: String) throws(DatabaseError) {
        let path = try path(for: "backing up")
        try Database.copy(from: path, to: destination, schema: schema, verify: EventLog.verify)
    }

    /// Begins to copy the database to a place that has none, with its epoch; returns nil if there is nothing to copy.
    public func beginCopy(to target: LogDatabase) throws(DatabaseError) -> DatabaseCopy? {
        try DatabaseCopy(from: location, to: target.location, schema: schema)
    }

    /// Replaces the database with a copy of `backup` that has a new epoch, unless a process has it open, or the backup is
    /// damaged. Returns the path under which the replaced file is kept; nil if there was none.
    public func restore(from backup: String) throws(DatabaseError) -> String? {
        let path = try path(for: "restoring")
        return try Database.replace(path: path, with: backup, schema: schema) { connection throws(DatabaseError) in
            try EventLog.verify(connection)
            _ = try EventLog.beginEpoch(in: connection)
        }
    }

    /// Returns the path of the file; throws for a server, whose own tools copy it.
    private func path(for action: String) throws(DatabaseError) -> String {
        guard case .file(let path) = location else {
            throw DatabaseError(.remote, action, name, reason: "the database is in PostgreSQL")
        }
        return path
    }
}

// MARK: - Summaries

extension LogDatabase {
    /// A summary of what a log holds, to be shown to people.
    public struct Contents: Hashable, Sendable, Encodable {
        /// The path of the file, or the address of the server.
        public let file: String
        /// The size of the database in bytes.
        public let bytes: Int
        /// The log's name.
        public let epoch: String
        /// The contents of each stream that has events.
        public let streams: [Stream: EventLog.Summary]

        /// The number of events in all streams.
        public var events: Int { streams.values.reduce(0) { $0 + $1.events } }
    }
}

extension EventLog {
    /// A summary of one stream.
    public struct Summary: Hashable, Sendable, Encodable {
        /// An event's sequence and time.
        public struct Position: Hashable, Sendable, Encodable {
            /// The event's sequence in the stream.
            public let sequence: SequenceNumber
            /// The time at which the event entered the log, as its envelope says.
            public let time: String
        }

        /// The number of events.
        public let events: Int
        /// The number of topics.
        public let topics: Int
        /// The first event.
        public let oldest: Position
        /// The last event.
        public let newest: Position
    }

    func summaries(in connection: Connection) throws -> [Stream: Summary] {
        let rows = try connection.query(
            """
            select stream, count(*), min(sequence), max(sequence),
                (select count(*) from event_topic where event_topic.stream = event.stream)
            from event group by stream
            """, as: Stream.self, Int.self, SequenceNumber.self, SequenceNumber.self, Int.self)
        var summaries: [Stream: Summary] = [:]
        for (stream, count, oldest, newest, topics) in rows {
            summaries[stream] = Summary(
                events: count, topics: topics, oldest: try position(oldest, in: stream, connection),
                newest: try position(newest, in: stream, connection))
        }
        return summaries
    }

    private func position(
        _ sequence: SequenceNumber, in stream: Stream, _ connection: Connection
    ) throws -> Summary.Position {
        let row = try connection.query(
            "select topic, body from event where stream = ? and sequence = ?", stream, sequence, as: Topic.self,
            [UInt8].self)[0]
        return Summary.Position(sequence: sequence, time: Timestamp.text(try Event(topic: row.0, body: row.1).time))
    }
}
