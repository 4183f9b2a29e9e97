/// A SQLite database file that one process writes and that survives the death of that process at any instant.
///
/// When a write returns, its changes are on disk (write-ahead log, `synchronous=FULL`). Waiting for the disk never blocks
/// the threads that tasks share. Only one `Database` in all processes can have a file open; connections that only read, such
/// as a backup's or a shell's, can be open at the same time. It does not build SQL, map objects or observe changes.
public final class Database: Sendable {
    private let commitCounter: CommitCounter
    private let writer: Writer
    private let reader: Reader

    // MARK: - Opening and closing

    /// Opens the file in an existing folder or creates it, verifies it, and brings its tables to this version.
    ///
    /// Blocks the calling thread for about a second per gigabyte; call it when the process starts.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - schema: The tables of the file.
    /// - Throws: `DatabaseError`. Its kind is `corrupt` for a damaged file, and also for one that lacks acknowledged
    ///   commits, for example because its write-ahead log is missing. The file is then left as it is.
    public init(path: String, schema: Schema) throws(DatabaseError) {
        let lock = try FileLock(database: path)
        // A process that died after a failed sync may have left a log that is not on disk as it is read now.
        // See docs/decisions/event-log-integrity.md.
        try FileOperations.rewrite("\(path)-wal")
        try Self.verify(path, schema: schema, acknowledgedCommits: lock.acknowledgedCommits)
        try FileOperations.createIfMissing(path)  // SQLite would let everybody read it
        let connection = try Connection(path: path, lock: lock)
        guard !connection.isReadOnly else {
            throw DatabaseError(.readOnly, "opening", path, reason: "the file is not writable")
        }
        try connection.prepareForWriting()
        try schema.migrate(connection)
        commitCounter = connection.commitCounter
        let readConnection = try Connection(path: path, lock: nil)
        writer = Writer(connection)
        reader = Reader(readConnection)
    }

    /// Opens a file whose content can be created again; replaces a file that this version cannot use by an empty one.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - schema: The tables of the file.
    ///   - onDiscard: Called with the reason before a file is deleted.
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

    /// Verifies a file that exists, and that none is missing.
    private static func verify(_ path: String, schema: Schema, acknowledgedCommits: Int) throws(DatabaseError) {
        guard FileOperations.exists(path) else {
            guard acknowledgedCommits == 0 else {
                let reason = "the file is missing, and with it \(acknowledgedCommits) acknowledged commits"
                throw DatabaseError(.corrupt, "opening", path, reason: reason)
            }
            return
        }
        // Without the right to write: the last writer to close would remove the write-ahead log of a rejected file.
        let connection = try Connection(path: path, lock: nil)
        try schema.check(connection)
        try connection.verifyPages()
        try connection.verifyCommitCount(isAtLeast: acknowledgedCommits)
    }

    /// Finishes the writes that are waiting and closes the file; later reads and writes fail with the kind `closed`.
    public func close() async {
        // The writer last: the last connection to close removes the write-ahead log and must be able to write.
        await reader.close()
        await writer.close()
    }

    // MARK: - Reading and writing

    /// A number that increases with each commit; what was read stays true while the number is the same.
    public var commitCount: Int { commitCounter.value }

    /// Runs `body` in a transaction and returns its result when the changes are on disk.
    ///
    /// Writes that arrive during a commit share the next one, in the order in which they arrived. If a body throws, its
    /// changes alone are undone and its caller gets the error. If the disk is full or fails, all writes that share the commit
    /// are undone and get that error, and the database stays usable.
    ///
    /// The number of waiting writes has no limit but the number of callers. A write is made even if its caller is cancelled.
    ///
    /// - Parameter body: Must not begin or end a transaction, and must change nothing but the database: if a write that
    ///   shares the commit throws, all bodies run again.
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
}

extension Connection {
    /// Sets the options of a connection that writes.
    fileprivate func prepareForWriting() throws(DatabaseError) {
        guard try query("pragma journal_mode = wal", as: String.self) == ["wal"] else {
            let reason = "its file system does not support shared memory, which the write-ahead log needs"
            throw DatabaseError(.cannotOpen, "opening", path, reason: reason)
        }
        try execute("pragma synchronous = full")  // a commit survives a power loss
        try execute("pragma foreign_keys = on")
        try execute("pragma secure_delete = on")  // deleted rows are overwritten; Debian's default, not everybody's
        disableAutomaticCheckpoints()
    }

    // MARK: - Verification

    /// Verifies the structure of the file's pages with `quick_check`; the meaning of values is not verified.
    func verifyPages() throws(DatabaseError) {
        let findings = try query("pragma quick_check(1)", as: String.self)
        guard findings == ["ok"] else { throw damage(findings.joined(separator: "; ")) }
    }

    /// Verifies that the database has at least as many commits as were acknowledged.
    fileprivate func verifyCommitCount(isAtLeast acknowledged: Int) throws(DatabaseError) {
        let hasCount = try !query("select 1 from sqlite_schema where name = 'commit_count'", as: Int.self).isEmpty
        let count = hasCount ? try query("select commits from commit_count", as: Int.self)[0] : 0
        guard count >= acknowledged else {
            throw damage(
                "\(acknowledged - count) acknowledged commits are missing: "
                    + "its -wal file is missing or damaged, or an older file has replaced it")
        }
    }

    /// Makes the error of a damaged file, for code that verifies the meaning of its tables.
    ///
    /// - Parameter reason: The damage; its lines are joined, because an error has one line.
    public func damage(_ reason: String) -> DatabaseError {
        let line = reason.split(separator: "\n").joined(separator: ": ")
        return DatabaseError(.corrupt, "checking", path, reason: line)
    }
}
