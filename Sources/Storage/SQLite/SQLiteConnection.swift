import CSQLite
import Glibc
import Text

/// A connection to a database file of SQLite; on one thread at a time
/// (https://www.sqlite.org/threadsafe.html, "multi-thread").
final class SQLiteConnection: Connection {
    // Once per process, before the first connection: SQLite's memory statistics take a global lock for each allocation,
    // and nothing reads them.
    private static let configurationResult = marquee_sqlite3_count_no_memory()

    /// How long a statement waits for a foreign program's lock, in milliseconds.
    private static let busyTimeout: Int32 = 5_000

    let handle: OpaquePointer
    // Released after `deinit` has closed the connection.
    private let lock: FileLock?
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    private var changesBefore = 0
    /// The number of commits in the database's `commit_count`; nil until it is read. No other process changes it.
    private var storedCommitCount: Int?
    private var walPages = 0
    /// Whether pages that a checkpoint has copied may not be on disk, because the sync of the file failed.
    private var mayLackPages = false
    /// Whether the write-ahead log may still hold what a write has deleted; see ``eraseLogAfterCommit()``.
    private var mustEraseLog = false

    /// Opens an existing file for reading, also where this process can write neither the file nor its folder.
    ///
    /// SQLite reads a write-ahead database in a folder that it cannot write only if `-wal` and `-shm` are there, or if it may
    /// assume that nothing changes the file (https://www.sqlite.org/wal.html#readonly). The latter is so without a
    /// write-ahead log: whoever has the database open has one.
    static func reading(path: String) throws(DatabaseError) -> sending SQLiteConnection {
        do throws(DatabaseError) {
            let connection = try SQLiteConnection(path: path)
            _ = try connection.query("pragma schema_version", as: Int.self)
            return connection
        } catch {
            let isOfFolder = error.kind == .cannotOpen || error.kind == .readOnly
            guard isOfFolder, access(path, R_OK) == 0, access(FileOperations.folder(of: path), W_OK) != 0 else {
                throw error
            }
            guard !FileOperations.hasContent("\(path)-wal") else {
                let reason = "SQLite reads its -wal file only in a folder that it can write: copy both files to one"
                throw DatabaseError(.readOnly, "opening", path, reason: reason)
            }
            return try SQLiteConnection(path: path, isUnchanging: true)
        }
    }

    init(
        path: String, isWritten: Bool = false, lock: FileLock? = nil, isUnchanging: Bool = false
    ) throws(DatabaseError) {
        let access = isWritten ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        precondition(Self.configurationResult == SQLITE_OK, "sqlite3_config: \(Self.configurationResult)")
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (isUnchanging ? SQLITE_OPEN_URI : 0)
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(
            isUnchanging ? "file:\(path.percentEncoded)?immutable=1" : path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }  // after a failure, the handle still holds the error's text
            throw DatabaseError("opening", path, code: code, on: pointer)
        }
        handle = pointer
        self.lock = lock
        super.init(name: path)
        // Waits for a foreign program, such as a shell; this program's own connections never block each other.
        sqlite3_busy_timeout(handle, Self.busyTimeout)
        try execute("pragma trusted_schema = off")  // the schema of a foreign file must not call functions
        try execute("pragma temp_store = memory")  // a container's file system may be read-only, /tmp included
    }

    deinit {
        statements.removeAll()  // first, because a connection closes only after its last statement
        sqlite3_close_v2(handle)
    }

    // MARK: - Statements

    override var changedRows: Int { Int(sqlite3_changes64(handle)) }

    override func send(
        _ sql: StaticString, _ values: [StoredValue], inParts: Bool,
        read: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        let statement: Statement
        if let prepared = statements[sql.utf8Start] {
            statement = prepared
        } else {
            statement = try Statement(sql, on: handle, name: name)
            statements[sql.utf8Start] = statement
        }
        defer {
            sqlite3_reset(statement.pointer)
            sqlite3_clear_bindings(statement.pointer)
        }
        var code = statement.bind(values)
        if code == SQLITE_OK { code = sqlite3_step(statement.pointer) }
        while code == SQLITE_ROW {
            guard try read(Row(cells: statement, name: name)) else { return }
            code = sqlite3_step(statement.pointer)
        }
        if code != SQLITE_DONE { throw failure("running `\(sql)` on", code) }
    }

    func run(script: String) throws(DatabaseError) {
        try transaction.check()
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        if code != SQLITE_OK { throw failure("running a script on", code) }
    }

    private func failure(_ action: String, _ code: Int32) -> DatabaseError {
        let error = DatabaseError(action, name, code: code, on: handle)
        // Some errors, such as a full disk, end the transaction (https://www.sqlite.org/lang_transaction.html).
        if !isInTransaction { transaction.fail(with: error) }
        return error
    }

    // MARK: - Transactions

    override var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    private var changeCount: Int { Int(sqlite3_total_changes64(handle)) }

    // Immediate, because a transaction that reads first and writes later can fail without waiting for the lock.
    override func start(writing: Bool) throws(DatabaseError) {
        try execute(writing ? "begin immediate" : "begin deferred")
        changesBefore = changeCount
    }

    /// Commits. A commit that changes rows is counted, in the database and then in the lock file; `FileLock` says why.
    override func end() throws(DatabaseError) {
        let count = changeCount == changesBefore ? nil : try incrementStoredCommitCount()
        try execute("commit")
        if let count {
            storedCommitCount = count
            lock?.recordCommits(count)
        }
    }

    override func undo() {
        // After some errors SQLite has rolled it back already.
        if isInTransaction { try? execute("rollback") }
    }

    // MARK: - After a commit

    /// Copies the write-ahead log into the file if it is long enough, and empties it if a write asked for that.
    override func tidy() -> Bool {
        if mustEraseLog {
            // Without waiting for readers: commits wait for this queue.
            sqlite3_busy_timeout(handle, 0)
            defer { sqlite3_busy_timeout(handle, Self.busyTimeout) }
            mustEraseLog = checkpoint(SQLITE_CHECKPOINT_TRUNCATE) != SQLITE_OK
            if !mustEraseLog { walPages = 0 }
        }
        if walPages >= Self.checkpointPages {
            walPages = 0  // until the hook of the next commit sets it
            _ = checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        }
        return mustEraseLog
    }

    override func close() {
        rewritePagesIfUnsure()  // before the checkpoint with which SQLite closes the file
    }

    /// Empties the write-ahead log after the commit of this write, so that it no longer holds what this write deletes.
    ///
    /// A deleted row is overwritten in the database, but earlier versions of its page stay in the log until the log is
    /// overwritten, which may take days. While another connection reads an older state the log cannot be emptied; it is
    /// then tried again once a second.
    override func eraseLogAfterCommit() {
        afterCommit { self.mustEraseLog = true }
    }

    override func size() throws(DatabaseError) -> Int {
        try query("select page_count * page_size from pragma_page_count, pragma_page_size", as: Int.self)[0]
    }

    private func incrementStoredCommitCount() throws(DatabaseError) -> Int {
        let count: Int
        if let storedCommitCount {
            count = storedCommitCount + 1
        } else {
            count = try query("select commits from commit_count", as: Int.self)[0] + 1
        }
        try execute("update commit_count set commits = ?", count)
        return count
    }
}

extension SQLiteConnection {
    /// Opens a file that one process writes, or creates it: write-ahead log, `synchronous=FULL`.
    static func writing(path: String, schema: Schema) throws(DatabaseError) -> sending SQLiteConnection {
        let lock = try FileLock(database: path)
        // A process that died after a failed sync may have left a log that is not on disk as it is read now.
        // See docs/decisions/event-log-integrity.md.
        try FileOperations.rewrite("\(path)-wal")
        try Self.verify(path, schema: schema, acknowledgedCommits: lock.acknowledgedCommits)
        if !FileOperations.exists(path) { try FileOperations.create(path) }  // SQLite would let everybody read it
        let connection = try SQLiteConnection(path: path, isWritten: true, lock: lock)
        guard sqlite3_db_readonly(connection.handle, "main") == 0 else {
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
        let found = try schema.foundVersion(in: connection)
        guard found == schema.version else { throw schema.versionError(found, in: path) }
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
        try schema.check(connection, mayBeEmpty: true)
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

    // MARK: - Checkpoints

    /// The number of pages after which the write-ahead log is copied into the file; SQLite's own default.
    private static let checkpointPages = 1_000
    private static let largestPage = 65_536

    /// Replaces SQLite's automatic checkpoint, so that `tidy()` can run one after the commit has been reported.
    ///
    /// SQLite runs its own inside the commit, and the callers of that commit wait for it
    /// (https://www.sqlite.org/wal.html, "Avoiding Excessively Large WAL Files").
    fileprivate func disableAutomaticCheckpoints() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_MISUSE }
                Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            }, context)
    }

    /// Runs a checkpoint, after one that failed with all pages of the file written again.
    ///
    /// See docs/decisions/event-log-integrity.md.
    fileprivate func checkpoint(_ mode: Int32) -> Int32 {
        rewritePagesIfUnsure()
        guard !mayLackPages else { return SQLITE_IOERR }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        if code & 0xff == SQLITE_IOERR { mayLackPages = true }
        return code
    }

    /// Writes all pages of the file again, if a checkpoint could not sync them; the next checkpoint syncs them.
    ///
    /// After a failed sync the kernel takes the pages for written, and SQLite repeats only what it has not copied before.
    fileprivate func rewritePagesIfUnsure() {
        guard mayLackPages else { return }
        var file: UnsafeMutablePointer<sqlite3_file>?
        // SQLite's own descriptor: closing another one would drop the locks that SQLite holds on the file.
        guard
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods?.pointee
        else { return }
        var size: sqlite3_int64 = 0
        guard methods.xFileSize(file, &size) == SQLITE_OK else { return }
        withUnsafeTemporaryAllocation(byteCount: Self.largestPage, alignment: 8) { buffer in
            var offset: sqlite3_int64 = 0
            while offset < size {
                let count = Int32(min(sqlite3_int64(buffer.count), size - offset))
                guard
                    methods.xRead(file, buffer.baseAddress, count, offset) == SQLITE_OK,
                    methods.xWrite(file, buffer.baseAddress, count, offset) == SQLITE_OK
                else { return }
                offset += sqlite3_int64(count)
            }
            mayLackPages = false
        }
    }
}
