public import Contract
public import SQLite

/// The database of a process with a log, for those who care for it from outside: who look at it, copy it and restore it.
///
/// All of it works on the calling thread, for some seconds per gigabyte, and proves what it reads.
public struct LogDatabase: Sendable {
    /// What a log holds, for people.
    public struct Contents: Hashable, Sendable, Encodable {
        /// Where the file is.
        public let file: String
        /// How large the database is.
        public let bytes: Int
        /// The log's name.
        public let epoch: String
        /// What each stream holds.
        public let streams: [Stream: EventLog.Summary]

        /// How many events there are in all streams.
        public var events: Int { streams.values.reduce(0) { $0 + $1.events } }
    }

    /// Where the file is.
    public let path: String
    /// The process whose log it is, such as `worker`.
    public let owner: String
    private let schema: Schema

    /// Names a file; nothing is opened yet.
    public init(path: String, owner: String, schema: Schema) {
        self.path = path
        self.owner = owner
        self.schema = schema
    }

    /// Runs `body` on the log as some commit of its process has left it; that may go on writing.
    public func read<Value>(_ body: (EventLog, Connection) throws -> Value) throws -> Value {
        try Database.inspect(path: path, schema: schema) { connection in
            try body(try EventLog(source: "/marquee/\(owner)", in: connection), connection)
        }
    }

    /// Runs `body` on the charts of a worker's log as some commit has left them; they are read, and not proven.
    public func history<Value>(_ body: (ChartHistory) throws -> Value) throws -> Value {
        try Database.inspect(path: path, schema: schema) { connection in
            try body(ChartHistory(EventLog(unproven: "/marquee/\(owner)", in: connection), in: connection))
        }
    }

    /// What the log holds.
    public func contents() throws -> Contents {
        try read { log, connection in
            Contents(
                file: path,
                bytes: try connection.query(
                    "select page_count * page_size from pragma_page_count, pragma_page_size", as: Int.self)[0],
                epoch: log.epoch, streams: try log.summaries(in: connection))
        }
    }

    /// Copies the database to a file that is not there yet, while its process writes.
    public func backUp(to destination: String) throws(DatabaseError) {
        try Database.copy(from: path, to: destination, schema: schema, verify: EventLog.prove)
    }

    /// Puts a copy of `backup` in the place of the database, as a new epoch, and returns where the replaced file is kept,
    /// if there was one.
    ///
    /// Refused while anybody has the database open.
    public func restore(from backup: String) throws(DatabaseError) -> String? {
        try Database.replace(path: path, with: backup, schema: schema) { connection throws(DatabaseError) in
            try EventLog.prove(connection)
            _ = try EventLog.beginEpoch(in: connection)
        }
    }

    /// Whether the file at `path` can be one of the same process.
    public func fits(_ path: String) -> Bool {
        // Why it can't is for those to say who open it in earnest.
        (try? Database.inspect(path: path, schema: schema) { _ in true }) ?? false
    }
}
