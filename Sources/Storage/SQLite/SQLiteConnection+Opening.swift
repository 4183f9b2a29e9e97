extension SQLiteConnection {
    /// Opens a file that one process writes, or creates it: write-ahead log, `synchronous=FULL`.
    static func writing(path: String, schema: Schema) throws(DatabaseError) -> sending Connection {
        let lock = try FileLock(database: path)
        // A process that died after a failed sync may have left a log that is not on disk as it is read now.
        // See docs/decisions/event-log-integrity.md.
        try FileOperations.rewrite("\(path)-wal")
        try Self.verify(path, schema: schema, acknowledgedCommits: lock.acknowledgedCommits)
        if !FileOperations.exists(path) { try FileOperations.create(path) }  // SQLite would let everybody read it
        let connection = try SQLiteConnection(path: path, isWritten: true, lock: lock)
        guard !connection.isReadOnly else {
            throw DatabaseError(.readOnly, "opening", path, reason: "the file is not writable")
        }
        try connection.prepareForWriting()
        try schema.migrate(connection)
        return connection
    }

    /// Opens a file of this version for reading; another process may be writing it.
    static func reading(path: String, schema: Schema) throws(DatabaseError) -> sending Connection {
        let connection = try reading(path: path)
        try schema.check(connection)
        try schema.checkIsNotEmpty(connection)
        guard try schema.isCurrent(connection) else {
            throw DatabaseError(
                .olderSchema, "opening", path, reason: "an older version of this program has written it")
        }
        return connection
    }

    fileprivate func prepareForWriting() throws(DatabaseError) {
        guard try query("pragma journal_mode = wal", as: String.self) == ["wal"] else {
            let reason = "its file system does not support shared memory, which the write-ahead log needs"
            throw DatabaseError(.cannotOpen, "opening", name, reason: reason)
        }
        try execute("pragma synchronous = full")  // a commit survives a power loss
        try execute("pragma foreign_keys = on")
        try execute("pragma secure_delete = on")  // deleted rows are overwritten; Debian's default, not everybody's
        disableAutomaticCheckpoints()
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
        let connection = try SQLiteConnection(path: path)
        try schema.check(connection)
        try connection.verifyPages()
        try connection.verifyCommitCount(isAtLeast: acknowledgedCommits)
    }

    // MARK: - Verification

    /// Verifies the structure of the file's pages with `quick_check`; the meaning of values is not verified.
    func verifyPages() throws(DatabaseError) {
        let findings = try query("pragma quick_check(1)", as: String.self)
        guard findings == ["ok"] else { throw damage(findings.joined(separator: "; ")) }
    }

    fileprivate func verifyCommitCount(isAtLeast acknowledged: Int) throws(DatabaseError) {
        let hasCount = try !query("select 1 from sqlite_schema where name = 'commit_count'", as: Int.self).isEmpty
        let count = hasCount ? try query("select commits from commit_count", as: Int.self)[0] : 0
        guard count >= acknowledged else {
            throw damage(
                "\(acknowledged - count) acknowledged commits are missing: "
                    + "its -wal file is missing or damaged, or an older file has replaced it")
        }
    }
}
