/// A copy of a database in a place that has none, also of the other engine: all tables with all their rows.
///
/// As long as it exists, nobody else writes the two databases. Until it is finished there is nothing at the target, whatever
/// happens. Blocks the calling thread.
public final class DatabaseCopy {
    private let source: any CopySide
    private let target: any CopyTarget

    /// Opens both databases, the source as its process does; returns nil if there is nothing to copy.
    ///
    /// - Parameter schema: The tables of both.
    /// - Throws: `DatabaseError`; its kind is `inUse` if a process has one open, and `exists` if the target has tables.
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
    /// What messages call the database.
    var name: String { get }
    /// The query for all columns of this program's tables: table, column, and place in the primary key, from 1.
    var catalogue: String { get }
    /// Runs a statement, with a `?` for each value, and returns its rows.
    func rows(of sql: String, _ values: [StoredValue]) throws(DatabaseError) -> [[StoredValue]]
}

/// The database that a copy makes.
protocol CopyTarget: CopySide {
    /// Commits; when it returns, the database is on disk.
    func finish() throws(DatabaseError)
}

/// A table as both engines have it; the names are quoted.
private struct CopiedTable: Equatable {
    let name: String
    /// In the order of their names.
    var columns: [String] = []
    /// The columns of the primary key, in its order.
    var key: [String] = []
}

extension CopySide {
    /// Returns the tables, in the order of their names.
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
    /// Where the columns of the key are in a row.
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

    /// Returns the next rows; none at the end.
    mutating func next() throws(DatabaseError) -> [[StoredValue]] {
        guard !isAtEnd else { return [] }
        let sql = query + (last == nil ? "" : condition) + end
        let rows = try side.rows(of: sql, last ?? []).map { row in row.map(\.withoutZeros) }
        last = rows.last.map { row in key.map { row[$0] } }
        isAtEnd = rows.isEmpty || key.isEmpty
        return rows
    }
}
