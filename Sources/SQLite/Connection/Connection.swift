import CSQLite

/// One connection to a database file, lent to the body of a read or a write.
///
/// Not `Sendable`: the compiler keeps it inside that body, and so on the one thread that uses it
/// (https://www.sqlite.org/threadsafe.html, "multi-thread"). SQL is written as a literal, so that no value can get into
/// it; each literal is prepared once and kept.
public final class Connection {
    private enum Transaction {
        case none
        case open
        /// SQLite has rolled it back by itself, or must not commit it.
        case lost(DatabaseError)
    }

    // Once in the life of the process, before the first connection. Nobody asks SQLite how much memory it has, and to count
    // that takes a lock of all connections at each piece.
    private static let library = marquee_sqlite3_count_no_memory()

    let path: String
    let handle: DatabaseHandle
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    private var transaction = Transaction.none
    /// What waits for the commit.
    private var actions: [() -> Void] = []
    /// Told of each commit, before what waits for it.
    var onCommit: () -> Void = {}
    /// How many rows had been changed on this connection when the transaction began.
    private var earlierChanges = 0
    /// How many commits the database has had, once it was asked: it has no other writer.
    private var earlierCommits: Int?
    /// How many pages the write-ahead log had after the last commit.
    var logPages = 0

    /// Opens the file: with its lock for writing, made if it is not there, and without it for reading only.
    convenience init(path: String, lock: consuming FileLock?) throws(DatabaseError) {
        let access = lock == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try self.init(path: path, access: access, lock: lock)
    }

    /// Opens a file for writing that nobody else can know of, or whose lock the caller holds.
    convenience init(ownedAt path: String) throws(DatabaseError) {
        try self.init(path: path, access: SQLITE_OPEN_READWRITE, lock: nil)
    }

    private init(path: String, access: Int32, lock: consuming FileLock?) throws(DatabaseError) {
        self.path = path
        precondition(Self.library == SQLITE_OK, "sqlite3_config: \(Self.library)")
        handle = try DatabaseHandle(path: path, flags: access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, lock: lock)
        // Only a foreign program, such as a shell at work on the file, can make us wait at all.
        sqlite3_busy_timeout(handle.pointer, 5_000)
        try execute("pragma trusted_schema = off")  // a file from elsewhere must not run functions of ours
        try execute("pragma temp_store = memory")  // a container's root may be read-only, /tmp included
    }

    deinit {
        statements.removeAll()  // before the handle: a connection closes when its last statement is gone
    }

    /// Whether SQLite had to open the file without the right to write.
    var isReadOnly: Bool {
        sqlite3_db_readonly(handle.pointer, "main") == 1
    }

    /// Runs a statement to its end and forgets the rows it may give.
    public func execute<each Value: Storable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values)) { _ throws(DatabaseError) in true }
    }

    /// Runs a query and returns its rows, whose first columns are of these types.
    public func query<each Value: Storable, each Column: Storable>(
        _ sql: StaticString, _ values: repeat each Value, as columns: repeat (each Column).Type
    ) throws(DatabaseError) -> [(repeat each Column)] {
        var rows: [(repeat each Column)] = []
        try run(sql, stored(repeat each values)) { statement throws(DatabaseError) in
            rows.append(try statement.row(as: repeat each columns, path: path))
            return true
        }
        return rows
    }

    /// Runs a query likewise, and hands its rows to `body` one at a time, until that returns false.
    public func forEachRow<each Value: Storable>(
        of sql: StaticString, _ values: repeat each Value, do body: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values)) { statement throws(DatabaseError) in
            try body(Row(statement: statement, path: path))
        }
    }

    /// How many rows the last statement that changes any has changed (`sqlite3_changes64`); an insert that is left out, none.
    public var changedRows: Int { Int(sqlite3_changes64(handle.pointer)) }

    /// How many rows have been changed on this connection (`sqlite3_total_changes64`), those of undone writes too.
    private var changeCount: Int { Int(sqlite3_total_changes64(handle.pointer)) }

    /// Has `action` run once what the body writes is on disk, before any write that shared the commit returns.
    ///
    /// It never runs if the write is undone. Actions run in the order of the writes, on the writer's own queue: they
    /// must be short, and must not wait for the database.
    public func afterCommit(_ action: @escaping () -> Void) {
        actions.append(action)
    }

    /// The values as they are bound: each statement's are known when it is compiled, and need no box.
    func stored<each Value: Storable>(_ values: repeat each Value) -> [StoredValue] {
        var stored: [StoredValue] = []
        repeat stored.append((each values).stored)
        return stored
    }

    /// Runs a statement, and `read` at each row it gives, to its end or until `read` returns false.
    func run(
        _ sql: StaticString, _ values: [StoredValue], read: (Statement) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        // What SQLite has rolled back must not go on: each further statement would be a transaction of its own.
        if case .lost(let error) = transaction { throw error }
        let statement: Statement
        if let kept = statements[sql.utf8Start] {
            statement = kept
        } else {
            statement = try Statement(sql, on: handle.pointer, path: path)
            statements[sql.utf8Start] = statement
        }
        defer {
            sqlite3_reset(statement.pointer)
            sqlite3_clear_bindings(statement.pointer)
        }
        var code = statement.bind(values)
        if code == SQLITE_OK { code = sqlite3_step(statement.pointer) }
        while code == SQLITE_ROW {
            guard try read(statement) else { return }
            code = sqlite3_step(statement.pointer)
        }
        if code != SQLITE_DONE { throw failure("running `\(sql)` on", code) }
    }

    /// Runs a script of several statements, such as a migration.
    func run(script: String) throws(DatabaseError) {
        if case .lost(let error) = transaction { throw error }
        let code = sqlite3_exec(handle.pointer, script, nil, nil, nil)
        if code != SQLITE_OK { throw failure("running a script on", code) }
    }

    private func failure(_ action: String, _ code: Int32) -> DatabaseError {
        let error = DatabaseError(action, path, code: code, on: handle.pointer)
        // A full disk, a failed read and the like may end the transaction (https://www.sqlite.org/lang_transaction.html).
        if case .open = transaction, sqlite3_get_autocommit(handle.pointer) != 0 { transaction = .lost(error) }
        return error
    }
}

extension Connection {
    /// Begins a transaction that writes, at once: one that reads first and writes later can fail without waiting.
    func beginWriting() throws(DatabaseError) {
        try execute("begin immediate")
        transaction = .open
        earlierChanges = changeCount
    }

    /// Begins a transaction that sees the database as it is at its first query.
    func beginReading() throws(DatabaseError) {
        try execute("begin deferred")
        transaction = .open
    }

    /// Makes the transaction durable and then runs what waits for that, or undoes it if it fails.
    ///
    /// A commit that changes something is counted, in the database and then, beside it, in the lock's file.
    func commit() throws(DatabaseError) {
        do throws(DatabaseError) {
            var count: Int?
            if changeCount != earlierChanges {
                let earlier =
                    if let earlierCommits { earlierCommits } else {
                        try query("select commits from commit_count", as: Int.self)[0]
                    }
                count = earlier + 1
                try execute("update commit_count set commits = ?", earlier + 1)
            }
            try execute("commit")
            transaction = .none
            if let count {
                earlierCommits = count
                handle.note(commits: count)
            }
            onCommit()
        } catch {
            rollBack()
            throw error
        }
        for action in actions { action() }
        actions = []
    }

    /// Ends the transaction without a trace, whatever state it is in.
    func rollBack() {
        transaction = .none
        actions = []
        // There may be none left to roll back, and that is the same end.
        if sqlite3_get_autocommit(handle.pointer) == 0 { try? execute("rollback") }
    }

    /// Runs `body` in the open transaction, which must be rolled back if it throws or has ended it.
    func attempt<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        let value = try body(self)
        guard sqlite3_get_autocommit(handle.pointer) == 0 else {
            throw DatabaseError(.other, "writing to", path, reason: "the transaction was ended in the middle")
        }
        return value
    }

    /// Runs `body` so that it leaves no trace in the open transaction if it throws.
    func savepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try execute("savepoint body")
        let earlier = actions.count
        do {
            let value = try body(self)
            try execute("release body")
            return value
        } catch {
            actions.removeLast(actions.count - earlier)
            do throws(DatabaseError) {
                try execute("rollback to body")
                try execute("release body")
            } catch let failure {
                if case .open = transaction { transaction = .lost(failure) }
            }
            throw error
        }
    }
}
