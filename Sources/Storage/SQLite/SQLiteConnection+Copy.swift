import CSQLite

extension SQLiteConnection: CopySide {
    /// Opens a file to copy it; returns nil if there is none.
    static func copySource(_ path: String, _ schema: Schema) throws(DatabaseError) -> SQLiteConnection? {
        guard FileOperations.exists(path) else { return nil }
        // As its process does: so nobody else writes it, and one that lacks commits is not copied.
        guard let connection = try writing(path: path, schema: schema) as? SQLiteConnection else {
            preconditionFailure("another engine's")
        }
        try connection.beginReading()
        return connection
    }

    var catalogue: String {
        """
        select t.name, c.name, c.pk from sqlite_schema as t, pragma_table_info(t.name) as c
        where t.type = 'table' and t.name <> 'commit_count' and t.name not like 'sqlite\\_%' escape '\\'
        """
    }

    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]] {
        let statement = try Statement("a copy", text: sql, on: handle.pointer, name: name)
        var rows: [[StoredValue]] = []
        var code = statement.bind(values)
        if code == SQLITE_OK { code = sqlite3_step(statement.pointer) }
        while code == SQLITE_ROW {
            rows.append((0..<sqlite3_column_count(statement.pointer)).map { statement.value($0) ?? .null })
            code = sqlite3_step(statement.pointer)
        }
        guard code == SQLITE_DONE else { throw DatabaseError("copying", name, code: code, on: handle.pointer) }
        return rows
    }
}

/// A file that gets its name when it is complete.
final class NewFile: CopyTarget {
    let name: String
    private let incoming: String
    private let lock: FileLock
    private var connection: SQLiteConnection?

    /// Makes the tables in a file beside the one that is to be.
    init(_ path: String, _ schema: Schema) throws(DatabaseError) {
        name = path
        incoming = "\(path)-incoming"
        lock = try FileLock(database: path)
        guard !FileOperations.exists(path), !FileOperations.exists("\(path)-wal") else {
            throw DatabaseError(.exists, "copying to", path, reason: "there is a database")
        }
        try FileOperations.remove(incoming)  // left by a process that was killed here
        try FileOperations.create(incoming)
        let connection = try SQLiteConnection(path: incoming, isWritten: true)
        // Nobody needs a file that is not complete, and it is synced at the end.
        try connection.execute("pragma journal_mode = off")
        try connection.execute("pragma synchronous = off")
        try schema.migrate(connection)
        try connection.beginWriting()
        self.connection = connection
    }

    deinit {
        connection = nil
        try? FileOperations.remove(incoming)  // the next copy removes it, too
    }

    var catalogue: String { connection?.catalogue ?? "" }

    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]] {
        try connection?.rows(of: sql, values) ?? []
    }

    func finish() throws(DatabaseError) {
        try connection?.commit()
        connection = nil  // closes the file
        try FileOperations.synchronize(incoming)
        // The number of an earlier file does not apply to this one.
        lock.recordCommits(0)
        try FileOperations.synchronize("\(name)-lock")
        try FileOperations.move(incoming, to: name)
        try FileOperations.synchronize(FileOperations.folder(of: name))
    }
}
