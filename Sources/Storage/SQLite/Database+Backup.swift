extension Database {
    /// Copies a database, which another process may be writing, to a new file.
    ///
    /// The copy is the database as of one commit, in one file without a write-ahead log. Writers do not wait; only their log
    /// grows meanwhile. The file gets its name when it is complete, verified and on disk. If the copy fails, no file stays;
    /// if the process is killed, an empty file and a `.part` file beside it stay.
    public static func copy(
        from source: String, to destination: String, schema: Schema,
        verify: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try FileOperations.create(destination)  // reserves the name
        let part = "\(destination).part"
        do throws(DatabaseError) {
            try FileOperations.remove(part)
            try FileOperations.create(part)  // `vacuum into` accepts an empty file, and keeps its permissions
            try SQLiteConnection.reading(path: source).copy(to: part, schema: schema)
            try SQLiteConnection(path: part).verify(asCopyOf: source, schema, verify)
            try FileOperations.move(part, to: destination)
        } catch {
            // The first error is the one to report.
            try? FileOperations.remove(part)
            try? FileOperations.remove("\(part)-journal")
            try? FileOperations.remove(destination)
            throw error
        }
    }

    /// Replaces a database by a changed copy of another.
    ///
    /// - Returns: The new path of the old file; nil if there was none.
    public static func replace(
        path: String, with source: String, schema: Schema, change: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> String? {
        let lock = try FileLock(database: path)
        defer { withExtendedLifetime(lock) {} }
        // Not by opening the database: SQLite deletes the write-ahead log of a file that it cannot read.
        if let process = try FileOperations.otherProcess(using: path) {
            throw DatabaseError(.busy, "replacing", path, reason: "\(process) has it open")
        }
        let incoming = "\(path)-incoming"
        try FileOperations.remove(incoming)  // left by a process that was killed here
        try copy(from: source, to: incoming, schema: schema) { _ throws(DatabaseError) in }
        do throws(DatabaseError) {
            try SQLiteConnection(path: incoming, isWritten: true).migrate(to: schema, copyOf: source, change)
            try FileOperations.synchronize(incoming)
            let kept =
                try FileOperations.exists(path)
                ? FileOperations.linkToFreeName(path, prefix: "\(path)-replaced-") : nil
            // SQLite would apply a log that stayed to the new file. Without its file a log is useless.
            if let kept, FileOperations.exists("\(path)-wal") {
                try FileOperations.move("\(path)-wal", to: "\(kept)-wal")
            }
            for suffix in ["-wal", "-shm"] { try FileOperations.remove(path + suffix) }
            // The old number does not apply to the new file. On disk before it, or a power loss would bring it back.
            lock.recordCommits(0)
            try FileOperations.synchronize("\(path)-lock")
            try FileOperations.move(incoming, to: path)
            return kept
        } catch {
            // The first error is the one to report.
            try? FileOperations.remove(incoming)
            throw error
        }
    }
}

extension SQLiteConnection {
    fileprivate func copy(to destination: String, schema: Schema) throws(DatabaseError) {
        try schema.check(self)
        do throws(DatabaseError) {
            // Not `sqlite3_backup_step`, which starts again whenever another process writes between two steps, copies
            // damaged pages unread, and keeps the write-ahead log's mode.
            try execute("vacuum into ?", destination)
        } catch {
            // Damage is in the source; any other error is most likely the destination's.
            if error.kind == .corrupt { throw error }
            throw DatabaseError(error.kind, "copying \(name) to", destination, reason: error.reason, code: error.code)
        }
    }

    fileprivate func verify(
        asCopyOf source: String, _ schema: Schema, _ verify: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        do throws(DatabaseError) {
            try verifyPages()
            if try schema.foundVersion(in: self) == schema.version { try verify(self) }
        } catch {
            throw error.withPath(source)
        }
    }

    fileprivate func migrate(
        to schema: Schema, copyOf source: String, _ change: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try schema.migrate(self)
        try begin(writing: true)
        do throws(DatabaseError) {
            try change(self)
            try commit()
        } catch {
            rollBack()
            throw error.kind == .corrupt ? error.withPath(source) : error
        }
    }
}

extension DatabaseError {
    fileprivate func withPath(_ path: String) -> DatabaseError {
        DatabaseError(kind, action, path, reason: reason, code: code)
    }
}
