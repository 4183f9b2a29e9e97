extension Database {
    /// Runs `body` on a file that is only read and that another process may be writing; all queries see the same state.
    ///
    /// For a command that looks at a database and ends: it works on the calling thread. The file must be there and its
    /// tables of this version; its pages are not proven, which only whoever writes them needs.
    public static func inspect<Value>(
        path: String, schema: Schema, _ body: (Connection) throws -> Value
    ) throws -> Value {
        let connection = try Connection(path: path, lock: nil)
        try schema.check(connection)
        try schema.checkIsThere(connection)
        guard try schema.isCurrent(connection) else {
            throw DatabaseError(.olderSchema, "opening", path, reason: "it is of an older version")
        }
        try connection.beginReading()
        defer { connection.rollBack() }
        return try body(connection)
    }

    /// Copies a database, which another process may be writing, to a file that is not there yet.
    ///
    /// The copy is the database as some commit has left it, in one file without a write-ahead log. Writers do not wait
    /// for it; only their log grows meanwhile. `VACUUM INTO` makes it, and not `sqlite3_backup_step`: that begins
    /// anew whenever another process writes between two steps, copies pages unread, damage included, and
    /// brings the write-ahead log's mode along.
    ///
    /// Under its name the copy appears when it is whole, proven by `quick_check` and, where its tables are of this
    /// version, by `proof`, and on disk. If anything fails, nothing stays behind; a process that is killed leaves an empty file, and a part beside it.
    public static func copy(
        from source: String, to destination: String, schema: Schema,
        proof: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try FileOperations.make(destination)  // nobody else takes the name from here on
        let part = "\(destination).part"
        do throws(DatabaseError) {
            try FileOperations.remove(part)
            try Connection(path: source, lock: nil).copy(to: part, schema: schema)
            try Connection(path: part, lock: nil).prove(asCopyOf: source, schema, proof)
            try FileOperations.synchronize(part)
            try FileOperations.move(part, to: destination)
            try FileOperations.synchronize(FileOperations.folder(of: destination))
        } catch {
            // The error that counts is the first one.
            try? FileOperations.remove(part)
            try? FileOperations.remove("\(part)-journal")
            try? FileOperations.remove(destination)
            throw error
        }
    }

    /// Puts a copy of `source` in the place of the database at `path`, after `change`, and returns the name under which
    /// what was there is kept, if anything was.
    ///
    /// Refused while anybody has the database open. The copy is made, proven, brought up to date and synced first, and
    /// takes the old file's place in one step. `source` may be the database itself.
    public static func replace(
        path: String, with source: String, schema: Schema, change: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> String? {
        let lock = try FileLock(database: path)
        // Not by opening it: SQLite throws the log of a file away that it can't read.
        if let user = try FileOperations.user(of: path) {
            throw DatabaseError(.busy, "replacing", path, reason: "\(user) has it open")
        }
        let incoming = "\(path)-incoming"
        try FileOperations.remove(incoming)  // a process was killed here
        try copy(from: source, to: incoming, schema: schema) { _ throws(DatabaseError) in }
        do throws(DatabaseError) {
            try Connection(ownedAt: incoming).bring(upTo: schema, copyOf: source, change)
            try FileOperations.synchronize(incoming)
            let kept =
                try FileOperations.isThere(path)
                ? FileOperations.link(path, asFirstFreeAfter: "\(path)-replaced-") : nil
            // A log that stayed would be taken for the new file's; without its file it is worth nothing.
            if let kept, FileOperations.isThere("\(path)-wal") {
                try FileOperations.move("\(path)-wal", to: "\(kept)-wal")
            }
            for suffix in ["-wal", "-shm"] { try FileOperations.remove(path + suffix) }
            try FileOperations.move(incoming, to: path)
            lock.note(commits: 0)  // what the old file had acknowledged says nothing about the new one
            try FileOperations.synchronize(FileOperations.folder(of: path))
            return kept
        } catch {
            // The error that counts is the first one.
            try? FileOperations.remove(incoming)
            throw error
        }
    }
}

extension Connection {
    fileprivate func copy(to destination: String, schema: Schema) throws(DatabaseError) {
        try schema.check(self)
        try schema.checkIsThere(self)
        do throws(DatabaseError) {
            try execute("vacuum into ?", destination)
        } catch {
            // Damage is the source's, anything else is most likely the destination's.
            if error.kind == .corrupt { throw error }
            throw DatabaseError(error.kind, "copying \(path) to", destination, reason: error.reason, code: error.code)
        }
    }

    /// Proves a copy, and blames its source if it is not whole.
    fileprivate func prove(
        asCopyOf source: String, _ schema: Schema, _ proof: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        do throws(DatabaseError) {
            try proveWhole()
            if try schema.isCurrent(self) { try proof(self) }
        } catch {
            throw error.about(source)
        }
    }

    /// Migrates a copy and changes it.
    fileprivate func bring(
        upTo schema: Schema, copyOf source: String, _ change: (Connection) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try schema.migrate(self)
        try beginWriting()
        do throws(DatabaseError) {
            try change(self)
            try commit()
        } catch {
            rollBack()
            throw error.kind == .corrupt ? error.about(source) : error
        }
    }
}

extension DatabaseError {
    /// The same about another file.
    fileprivate func about(_ path: String) -> DatabaseError {
        DatabaseError(kind, action, path, reason: reason, code: code)
    }
}
