/// A SQLite database file that one process writes and that survives its death at any instant.
///
/// What a write has returned is on disk (write-ahead log, `synchronous=FULL`). Waiting for the disk never blocks the threads that
/// tasks share. Only one `Database` at a time can have a file open, in whatever process; connections that only read,
/// a backup's or a shell's, may come and go. It does not build SQL, map objects or observe changes.
public final class Database: Sendable {
    private let commits = CommitCounter()
    private let writer: Writer
    private let reader: Reader

    /// Opens or makes the file, in a folder that exists, proves it whole, and brings its tables up to date.
    ///
    /// Refused as `corrupt` is also a file that lacks commits which were acknowledged: without its write-ahead log, say.
    /// For the start of a process: it works on the calling thread, for about a second per gigabyte.
    public init(path: String, schema: Schema) throws(DatabaseError) {
        let lock = try FileLock(database: path)
        try Self.prove(path, schema: schema, acknowledged: lock.acknowledged)
        let connection = try Connection(path: path, lock: lock)
        guard !connection.isReadOnly else {
            throw DatabaseError(.readOnly, "opening", path, reason: "the file may not be written")
        }
        try connection.prepareForWriting()
        try schema.migrate(connection)
        connection.onCommit = { [commits] in commits.add() }
        let second = try Connection(path: path, lock: nil)
        writer = Writer(connection)
        reader = Reader(second)
    }

    /// Proves that a file is ours, whole and complete, on a connection that cannot write: what is refused stays as it is,
    /// its write-ahead log included, which the last writer to close would tidy away.
    private static func prove(_ path: String, schema: Schema, acknowledged: Int) throws(DatabaseError) {
        guard FileOperations.isThere(path) else {
            guard acknowledged == 0 else {
                throw DatabaseError(
                    .corrupt, "opening", path, reason: "the file is gone, and \(acknowledged) acknowledged commits")
            }
            return
        }
        let connection = try Connection(path: path, lock: nil)
        try schema.check(connection)
        try connection.proveWhole()
        try connection.proveComplete(acknowledged)
    }

    /// How many commits there have been since it was opened: what was read at one number is true until there is another.
    public var commitCount: Int { commits.value }

    /// Runs `body` in a transaction and returns when its changes are on disk.
    ///
    /// Writes that come while a commit is under way share the next one, in the order they came. Each is undone alone if
    /// its body throws, and its caller gets that error. If the disk is full or fails, all that share the commit are
    /// undone and get that error, and the database stays usable. The body must not begin or end transactions, and must
    /// change nothing but the database: if a write that shares the commit throws, all of them run again.
    ///
    /// Nothing limits how many wait but the number of callers, each of which waits for its own. A cancelled caller's
    /// write is made all the same.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await writer.write(body)
    }

    /// Runs `body` on the database as the last finished write has left it; all its queries see the same state.
    ///
    /// Reads wait for one another but not for writes.
    public func read<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
        try await reader.read(body)
    }

    /// Finishes the writes that have been asked for and closes the file; what comes later fails as `closed`.
    public func close() async {
        await reader.close()  // first: the last connection to close tidies the file up, and must be able to write
        await writer.close()
    }
}

extension Connection {
    /// Sets how the connection writes.
    fileprivate func prepareForWriting() throws(DatabaseError) {
        guard try query("pragma journal_mode = wal", as: String.self) == ["wal"] else {
            let reason = "its file system can't share memory, which the write-ahead log needs"
            throw DatabaseError(.cannotOpen, "opening", path, reason: reason)
        }
        try execute("pragma synchronous = full")  // a commit is on disk when it returns, power loss included
        try execute("pragma foreign_keys = on")
        takeOverCheckpoints()
    }
}
