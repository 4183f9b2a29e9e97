import CSQLite
import Text

/// One connection to a database file, passed to the body of a read or a write.
///
/// Not `Sendable`: the compiler keeps it inside that body, and thereby on one thread at a time
/// (https://www.sqlite.org/threadsafe.html, "multi-thread"). SQL is a literal, so that no value can get into it; each
/// literal is prepared once and kept. Transactions are in `Connection+Transaction.swift`.
public final class Connection {
    // Once per process, before the first connection: SQLite's memory statistics take a global lock for each allocation,
    // and nothing reads them.
    private static let configurationResult = marquee_sqlite3_count_no_memory()

    /// How long a statement waits for a foreign program's lock, in milliseconds.
    static let busyTimeout: Int32 = 5_000

    let path: String
    let handle: DatabaseHandle
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    var transaction = Transaction()
    /// Counts the commits of this connection.
    let commitCounter = CommitCounter()
    /// The number of commits in the database's `commit_count`; nil until it is read. No other process changes it.
    var storedCommitCount: Int?
    /// The number of pages in the write-ahead log after the last commit.
    var walPages = 0
    /// Whether pages that a checkpoint has copied may not be on disk, because the sync of the file failed.
    var mayLackPages = false
    /// Whether the write-ahead log may still hold what a write has deleted; see ``eraseLogAfterCommit()``.
    var mustEraseLog = false

    /// Opens the file: with a lock for reading and writing, and creates it if needed; without a lock for reading only.
    convenience init(path: String, lock: consuming FileLock?) throws(DatabaseError) {
        let access = lock == nil ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        try self.init(path: path, access: access, lock: lock)
    }

    /// Opens an existing file for writing without a lock: a file that no other process knows, or whose lock the caller holds.
    convenience init(ownedAt path: String) throws(DatabaseError) {
        try self.init(path: path, access: SQLITE_OPEN_READWRITE, lock: nil)
    }

    /// Opens an existing file for reading, also where this process can write neither the file nor its folder.
    ///
    /// SQLite reads a write-ahead database in a folder that it cannot write only if `-wal` and `-shm` are there, or if it may
    /// assume that nothing changes the file (https://www.sqlite.org/wal.html#readonly). The latter is so without a
    /// write-ahead log: whoever has the database open has one.
    ///
    /// - Throws: `DatabaseError`; its kind is `readOnly` if the folder has a write-ahead log that cannot be read there.
    static func reading(path: String) throws(DatabaseError) -> Connection {
        do throws(DatabaseError) {
            let connection = try Connection(path: path, lock: nil)
            _ = try connection.query("pragma schema_version", as: Int.self)
            return connection
        } catch {
            let isOfFolder = error.kind == .cannotOpen || error.kind == .readOnly
            guard isOfFolder, FileOperations.canRead(path), !FileOperations.canWriteFolder(of: path) else {
                throw error
            }
            guard !FileOperations.hasContent("\(path)-wal") else {
                let reason = "SQLite reads its -wal file only in a folder that it can write: copy both files to one"
                throw DatabaseError(.readOnly, "opening", path, reason: reason)
            }
            return try Connection(path: path, access: SQLITE_OPEN_READONLY, lock: nil, isUnchanging: true)
        }
    }

    private init(
        path: String, access: Int32, lock: consuming FileLock?, isUnchanging: Bool = false
    ) throws(DatabaseError) {
        self.path = path
        precondition(Self.configurationResult == SQLITE_OK, "sqlite3_config: \(Self.configurationResult)")
        handle = try DatabaseHandle(
            path: path, flags: access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, lock: lock,
            isUnchanging: isUnchanging)
        // Waits for a foreign program, such as a shell; this program's own connections never block each other.
        sqlite3_busy_timeout(handle.pointer, Self.busyTimeout)
        try execute("pragma trusted_schema = off")  // the schema of a foreign file must not call functions
        try execute("pragma temp_store = memory")  // a container's file system may be read-only, /tmp included
    }

    deinit {
        statements.removeAll()  // before the handle, because a connection closes only after its last statement
    }

    /// Whether SQLite could only open the file for reading.
    var isReadOnly: Bool {
        sqlite3_db_readonly(handle.pointer, "main") == 1
    }

    // MARK: - Statements

    /// Runs a statement to its end and ignores its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement, with a `?` for each value.
    ///   - values: The values to bind, in order.
    public func execute<each Value: Storable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values)) { _ throws(DatabaseError) in true }
    }

    /// Runs a query and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: One query, with a `?` for each value.
    ///   - values: The values to bind, in order.
    ///   - columns: The types of the first columns.
    /// - Throws: `DatabaseError`; its kind is `corrupt` if a column is of another type.
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

    /// Runs a query and calls `body` with one row at a time, until it returns false.
    ///
    /// - Parameters:
    ///   - sql: One query, with a `?` for each value.
    ///   - values: The values to bind, in order.
    ///   - body: Returns whether to continue with the next row.
    public func forEachRow<each Value: Storable>(
        of sql: StaticString, _ values: repeat each Value, do body: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values)) { statement throws(DatabaseError) in
            try body(Row(statement: statement, path: path))
        }
    }

    /// The number of rows that the last insert, update or delete has changed (`sqlite3_changes64`).
    public var changedRows: Int { Int(sqlite3_changes64(handle.pointer)) }

    /// Converts the values to the form in which they are bound.
    // Here, where each type is known at compile time, the values need no existential box.
    func stored<each Value: Storable>(_ values: repeat each Value) -> [StoredValue] {
        var stored: [StoredValue] = []
        repeat stored.append((each values).stored)
        return stored
    }

    /// Runs a statement and calls `read` at each row, until it returns false.
    func run(
        _ sql: StaticString, _ values: [StoredValue], read: (Statement) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        try transaction.check()
        let statement: Statement
        if let prepared = statements[sql.utf8Start] {
            statement = prepared
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
        try transaction.check()
        let code = sqlite3_exec(handle.pointer, script, nil, nil, nil)
        if code != SQLITE_OK { throw failure("running a script on", code) }
    }

    /// Makes the error of a failed statement.
    private func failure(_ action: String, _ code: Int32) -> DatabaseError {
        let error = DatabaseError(action, path, code: code, on: handle.pointer)
        // Some errors, such as a full disk, end the transaction (https://www.sqlite.org/lang_transaction.html).
        if sqlite3_get_autocommit(handle.pointer) != 0 { transaction.fail(with: error) }
        return error
    }
}

/// The owner of a `sqlite3 *`, and of the lock with which it may write.
struct DatabaseHandle: ~Copyable {
    let pointer: OpaquePointer
    // Released after `deinit` has closed the connection.
    private let lock: FileLock?

    /// Opens the file with `sqlite3_open_v2`.
    ///
    /// - Parameter isUnchanging: Whether SQLite reads without locks and without a write-ahead log (`immutable=1`).
    init(path: String, flags: Int32, lock: consuming FileLock?, isUnchanging: Bool) throws(DatabaseError) {
        var pointer: OpaquePointer?
        let code =
            isUnchanging
            ? sqlite3_open_v2("file:\(path.percentEncoded)?immutable=1", &pointer, flags | SQLITE_OPEN_URI, nil)
            : sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }  // after a failure, the handle still holds the error's text
            throw DatabaseError("opening", path, code: code, on: pointer)
        }
        self.pointer = pointer
        self.lock = lock
    }

    /// Writes the number of acknowledged commits to the lock file.
    func recordCommits(_ count: Int) {
        switch lock {
        case .some(let lock): lock.recordCommits(count)
        case .none: break
        }
    }

    deinit {
        sqlite3_close_v2(pointer)
    }
}
