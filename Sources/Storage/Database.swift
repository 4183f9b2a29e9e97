import Concurrency

/// A database that survives the death of its process at any instant: a file of SQLite, or a part of a PostgreSQL server.
///
/// When a write returns, its changes are on disk. Waiting for the disk or the server never blocks the threads that tasks
/// share. It does not build SQL, map objects or observe changes.
public final class Database: Sendable {
    private let commits: Locked<Int>
    private let writer: Writer
    private let reader: Reader
    private let listener: PostgreSQLListener?
    /// Whether the database is on a server, which may be away for a while.
    public let isRemote: Bool
    /// Whether other processes may write to it, too.
    public var isShared: Bool { listener != nil }

    // MARK: - Opening and closing

    /// Opens a database, or makes it, verifies it, and brings its tables to this version.
    ///
    /// Blocks the calling thread, for a file about a second per gigabyte; call it when the process starts.
    ///
    /// - Throws: `DatabaseError`. Its kind is `inUse` while another process has the database open; on a server, one that has
    ///   written nothing for 15 seconds is replaced instead. Its kind is `corrupt` for a damaged file, and also for one that
    ///   lacks acknowledged commits, for example because its write-ahead log is missing. The file is then left as it is.
    public init(_ location: DatabaseLocation, schema: Schema, isShared: Bool = false) throws(DatabaseError) {
        let writing: Connection =
            switch location {
            case .file(let path): try SQLiteConnection.writing(path: path, schema: schema)
            case .server(let server): try PostgreSQLConnection.writing(server, schema: schema, isShared: isShared)
            }
        let reading = try Self.reading(location, schema)
        listener = if isShared, case .server(let server) = location { PostgreSQLListener(server) } else { nil }
        isRemote = if case .server = location { true } else { false }
        commits = writing.commitCount
        writer = Writer(writing)
        reader = Reader(reading)
    }

    /// Opens the file in an existing folder or creates it.
    public convenience init(path: String, schema: Schema) throws(DatabaseError) {
        try self.init(.file(path), schema: schema)
    }

    /// Opens a file whose content can be created again; replaces a file that this version cannot use by an empty one.
    public static func openOrRecreate(
        path: String, schema: Schema, onDiscard: (DatabaseError) -> Void
    ) throws(DatabaseError) -> Database {
        do throws(DatabaseError) {
            return try Database(path: path, schema: schema)
        } catch {
            guard [.corrupt, .newerSchema, .olderSchema, .notADatabase].contains(error.kind) else { throw error }
            onDiscard(error)
            for suffix in ["", "-wal", "-shm", "-lock"] { try FileOperations.remove(path + suffix) }
            return try Database(path: path, schema: schema)
        }
    }

    /// Finishes the writes that are waiting and closes the database; later reads and writes fail with the kind `closed`.
    public func close() async {
        // The writer last: the last connection to close removes the write-ahead log and must be able to write.
        await reader.close()
        await writer.close()
        listener?.close()
    }

    // MARK: - Reading and writing

    /// A number that increases with each commit of this process.
    public var commitCount: Int { commits.withLock { $0 } }

    /// Runs `body` in a transaction and returns its result when the changes are on disk.
    ///
    /// Writes that arrive during a commit share the next one, in the order in which they arrived. If a body throws, its
    /// changes alone are undone and its caller gets the error. If the disk is full or fails, all writes that share the commit
    /// are undone and get that error, and the database stays usable. If a server's answer to the commit is lost, they wait
    /// until it is known; after five seconds they get an error, and what they did may be made.
    ///
    /// A write is made even if its caller is cancelled. If a write that shares the commit throws, all bodies run again:
    /// they change nothing but the database, and begin or end no transaction.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await writer.write(body)
    }

    /// Runs `body` on the database as the last finished write has left it; all its queries see the same state.
    public func read<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
        try await reader.read(body)
    }

    /// Calls `action` soon after each commit to a shared database, whoever makes it, on a thread of its own.
    ///
    /// Several commits may be told by one call, and while the server is away none is: look now and then besides.
    public func onCommit(_ action: @escaping @Sendable () -> Void) {
        listener?.listen(action)
    }

    /// Runs `body` on a database that it can only read and that another process may be writing.
    ///
    /// All queries see the same state. Blocks the calling thread. The pages of a file are not verified.
    public static func inspect<Value>(
        _ location: DatabaseLocation, schema: Schema, _ body: (Connection) throws -> Value
    ) throws -> Value {
        let connection = try reading(location, schema)
        try connection.begin(writing: false)
        defer { connection.rollBack() }
        return try body(connection)
    }

    private static func reading(
        _ location: DatabaseLocation, _ schema: Schema
    ) throws(DatabaseError) -> sending Connection {
        switch location {
        case .file(let path): try SQLiteConnection.reading(path: path, schema: schema)
        case .server(let server): try PostgreSQLConnection.reading(server, schema: schema)
        }
    }
}

/// Where a database is.
public enum DatabaseLocation: Hashable, Sendable {
    /// A file of SQLite, by its path.
    case file(String)
    /// A part of a PostgreSQL database.
    case server(DatabaseServer)

    /// What messages call the database: its path, or its address without the password.
    public var name: String {
        switch self {
        case .file(let path): path
        case .server(let server): server.name
        }
    }
}

/// A schema in a PostgreSQL database.
public struct DatabaseServer: Hashable, Sendable, CustomStringConvertible {
    /// The address as libpq reads it, a URL or words such as `host=a,b`; it may have a password.
    let address: String
    /// The schema, in PostgreSQL's sense, that has all tables; it is made if it is missing.
    let namespace: String
    /// What messages call the database: `postgresql://HOST:PORT/DATABASE`, without user and password.
    let name: String

    /// The name; the address may have a password.
    public var description: String { name }

    /// Names a schema of the database at an address; does not connect.
    public init(address: String, namespace: String) {
        self.address = address
        self.namespace = namespace
        name = PostgreSQLSession.name(of: address)
    }
}
