import CSQLite

/// A copy of a database in a place that has none, also of the other engine: all tables with all their rows.
///
/// As long as it exists, nobody else writes the two databases. Until it is finished there is nothing at the target, whatever
/// happens. Blocks the calling thread.
public final class DatabaseCopy {
    private let source: any CopySide
    private let target: any CopyTarget

    /// Opens both databases, the source as its process does; returns nil if there is nothing to copy.
    public init?(
        from source: DatabaseLocation, to target: DatabaseLocation, schema: Schema
    ) throws(DatabaseError) {
        let side: (any CopySide)? =
            switch source {
            case .file(let path): try SQLiteConnection.copySource(path, schema)
            case .server(let server): try PostgreSQLSession.copySource(server, schema)
            }
        guard let side else { return nil }
        self.source = side
        self.target =
            switch target {
            case .file(let path): try NewFile(path, schema)
            case .server(let server): try PostgreSQLSession.copyTarget(server, schema)
            }
    }

    /// Copies all rows and compares them with those of the source, one by one; returns their number.
    public func run() throws(DatabaseError) -> Int {
        let tables = try source.tables()
        guard try target.tables() == tables else { throw difference("tables") }
        var count = 0
        for table in tables {
            // What a new table has, such as the log's epoch.
            _ = try target.rows(of: "delete from \(table.name)", [])
            var reader = TableReader(table, of: source)
            while case let rows = try reader.next(), !rows.isEmpty {
                try insert(rows, into: table)
                count += rows.count
            }
        }
        for table in tables {
            var (reader, other) = (TableReader(table, of: source), TableReader(table, of: target))
            var rows: [[StoredValue]]
            repeat {
                rows = try reader.next()
                guard try other.next() == rows else { throw difference("rows of \(table.name)") }
            } while !rows.isEmpty
        }
        return count
    }

    /// Commits; when it returns, the copy is on disk.
    public func finish() throws(DatabaseError) {
        try target.finish()
    }

    private func insert(_ rows: [[StoredValue]], into table: CopiedTable) throws(DatabaseError) {
        let row = "(" + table.columns.map { _ in "?" }.joined(separator: ",") + ")"
        let columns = table.columns.joined(separator: ",")
        let values = rows.map { _ in row }.joined(separator: ",")
        _ = try target.rows(of: "insert into \(table.name) (\(columns)) values \(values)", Array(rows.joined()))
    }

    private func difference(_ what: String) -> DatabaseError {
        DatabaseError(.other, "copying to", target.name, reason: "its \(what) differ from those of \(source.name)")
    }
}

/// A database in a copy, with an open transaction.
///
/// Here alone statements are made of texts: of the names of tables and columns, never of values.
protocol CopySide: AnyObject {
    var name: String { get }
    /// The query for all columns of this program's tables: table, column, and place in the primary key, from 1.
    var catalogue: String { get }
    /// Runs a statement, with a `?` for each value, and returns its rows.
    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]]
}

protocol CopyTarget: CopySide {
    func finish() throws(DatabaseError)
}

/// A table as both engines have it; the names are quoted.
private struct CopiedTable: Equatable {
    let name: String
    var columns: [String] = []
    var key: [String] = []
}

extension CopySide {
    fileprivate func tables() throws(DatabaseError) -> [CopiedTable] {
        var tables: [CopiedTable] = []
        for row in try rows(of: "\(catalogue) order by 1, 3, 2", []) {
            guard case .text(let table) = row[0], case .text(let column) = row[1], case .integer(let place) = row[2]
            else { preconditionFailure("an invalid catalogue") }
            if tables.last?.name != "\"\(table)\"" { tables.append(CopiedTable(name: "\"\(table)\"")) }
            tables[tables.count - 1].columns.append("\"\(column)\"")
            if place > 0 { tables[tables.count - 1].key.append("\"\(column)\"") }
        }
        for index in tables.indices { tables[index].columns.sort() }
        return tables
    }
}

/// Reads a table in the order of its key.
private struct TableReader {
    private let side: any CopySide
    private let query: String
    private let key: [Int]
    private let condition: String
    private let end: String
    /// The key of the last row that was read; nil at the beginning.
    private var last: [StoredValue]?
    private var isAtEnd = false

    init(_ table: CopiedTable, of side: any CopySide) {
        self.side = side
        key = table.key.compactMap(table.columns.firstIndex(of:))
        let columns = table.columns.joined(separator: ",")
        let order = table.key.joined(separator: ",")
        query = "select \(columns) from \(table.name)"
        condition = " where (\(order)) > (\(table.key.map { _ in "?" }.joined(separator: ",")))"
        // Parts, because a database may be larger than memory. A table without a key has a row or two.
        end = table.key.isEmpty ? " order by \(columns)" : " order by \(order) limit 100"
    }

    mutating func next() throws(DatabaseError) -> [[StoredValue]] {
        guard !isAtEnd else { return [] }
        let sql = query + (last == nil ? "" : condition) + end
        let rows = try side.rows(of: sql, last ?? []).map { row in row.map(\.withoutZeros) }
        last = rows.last.map { row in key.map { row[$0] } }
        isAtEnd = rows.isEmpty || key.isEmpty
        return rows
    }
}

extension SQLiteConnection: CopySide {
    /// Opens a file to copy it; returns nil if there is none.
    static func copySource(_ path: String, _ schema: Schema) throws(DatabaseError) -> SQLiteConnection? {
        guard FileOperations.exists(path) else { return nil }
        // As its process does: so nobody else writes it, and one that lacks commits is not copied.
        let connection = try writing(path: path, schema: schema)
        try connection.begin(writing: false)
        return connection
    }

    var catalogue: String {
        """
        select t.name, c.name, c.pk from sqlite_schema as t, pragma_table_info(t.name) as c
        where t.type = 'table' and t.name <> 'commit_count' and t.name not like 'sqlite\\_%' escape '\\'
        """
    }

    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]] {
        let statement = try Statement("a copy", text: sql, on: handle, name: name)
        var rows: [[StoredValue]] = []
        var code = statement.bind(values)
        if code == SQLITE_OK { code = sqlite3_step(statement.pointer) }
        while code == SQLITE_ROW {
            rows.append((0..<sqlite3_column_count(statement.pointer)).map { statement.value($0) ?? .null })
            code = sqlite3_step(statement.pointer)
        }
        guard code == SQLITE_DONE else { throw DatabaseError("copying", name, code: code, on: handle) }
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
        try connection.begin(writing: true)
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
        // The number of an earlier file does not apply to this one.
        lock.recordCommits(0)
        try FileOperations.synchronize("\(name)-lock")
        try FileOperations.move(incoming, to: name)
    }
}

extension PostgreSQLSession: CopyTarget {
    /// Opens a database to copy it; returns nil if it has no tables of this program.
    static func copySource(_ server: DatabaseServer, _ schema: Schema) throws(DatabaseError) -> PostgreSQLSession? {
        let session = try PostgreSQLSession(server)
        do throws(DatabaseError) {
            try schema.check(session, server)
        } catch {
            guard error.kind == .notADatabase else { throw error }
            return nil
        }
        try session.lock()
        session.patience = -1  // a table takes as long as it is large
        try session.run("begin isolation level repeatable read, read only")
        return session
    }

    /// Makes the tables, in a transaction that stays open.
    static func copyTarget(_ server: DatabaseServer, _ schema: Schema) throws(DatabaseError) -> PostgreSQLSession {
        let session = try PostgreSQLSession(server)
        try schema.prepare(session, server)
        try session.lock()
        session.patience = -1  // a table takes as long as it is large
        try session.run("begin isolation level read committed, read write")
        guard try session.run("select version from marquee_schema") == "0" else {
            let reason = "its schema \(server.namespace) has the tables of a marquee"
            throw DatabaseError(.exists, "copying to", server.name, reason: reason)
        }
        try schema.update(session, server)
        return session
    }

    /// Takes the lock of the process that writes; the server ends it with the session.
    private func lock() throws(DatabaseError) {
        try takeLock(isShared: false)
        // So that a process which starts meanwhile does not take this one for frozen.
        try run(
            """
            insert into marquee_writer (id, number, written_at) values ('copy', 0, now() + interval '1 day')
            on conflict (id) do update set written_at = excluded.written_at
            """)
    }

    var catalogue: String {
        """
        select relname::text collate "C", attname::text collate "C",
            coalesce(array_position(indkey::smallint[], attnum), -1)::bigint + 1
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
            left join pg_index on indrelid = pg_class.oid and indisprimary
        where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname not like 'marquee\\_%'
        """
    }

    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]] {
        let result = try execute(once: PostgreSQLDialect.statement(sql), values, as: "a copy")
        var rows: [[StoredValue]] = []
        while result.row < result.rowCount {
            rows.append((0..<result.columnCount).map { result.value($0) ?? .null })
            result.row += 1
        }
        return rows
    }

    func finish() throws(DatabaseError) {
        // Rows that come get numbers after those that were copied.
        let script = try run(
            """
            select string_agg(format('select setval(pg_get_serial_sequence(%L, %L), max(%I)) from %I',
                quote_ident(relname), attname, attname, relname), ';')
            from pg_class join pg_attribute on attrelid = pg_class.oid and attidentity <> ''
            where relnamespace = current_schema()::regnamespace
            """)
        if let script { try run(script) }
        try commit()
    }
}
