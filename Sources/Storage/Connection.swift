import Concurrency

/// One connection to a database, passed to the body of a read or a write.
///
/// Not `Sendable`: the compiler keeps it inside that body, and thereby on one thread at a time. SQL is a literal, so that no
/// value can get into it; each literal is prepared once and kept. It is one text for all engines: SQLite's, which
/// `PostgreSQLDialect` translates.
public class Connection {
    /// What messages call the database: its path, or its address without the password.
    let name: String
    var transaction = Transaction()
    /// The number of commits, for caches of what was read from the database.
    let commitCount = Locked(0)

    init(name: String) {
        self.name = name
    }

    // MARK: - Statements

    /// Runs one statement, with a `?` for each value, to its end and ignores its rows.
    public final func execute<each Value: Storable>(
        _ sql: StaticString, _ values: repeat each Value
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values), inParts: false) { _ throws(DatabaseError) in true }
    }

    /// Runs a statement once for each row of values, and returns how many rows of the table each run has changed.
    ///
    /// A server is sent all runs before it has answered the first one, so that they cost one round trip.
    @discardableResult
    public final func executeEach<each Value: Storable>(
        _ sql: StaticString, _ rows: [(repeat each Value)]
    ) throws(DatabaseError) -> [Int] {
        try transaction.check()
        return try sendEach(sql, rows.map { stored(repeat each $0) })
    }

    /// Runs a query and returns its rows.
    public final func query<each Value: Storable, each Column: Storable>(
        _ sql: StaticString, _ values: repeat each Value, as columns: repeat (each Column).Type
    ) throws(DatabaseError) -> [(repeat each Column)] {
        var rows: [(repeat each Column)] = []
        try run(sql, stored(repeat each values), inParts: false) { row throws(DatabaseError) in
            rows.append(try row.values(as: repeat each columns))
            return true
        }
        return rows
    }

    /// Runs a query and calls `body` with one row at a time, until it returns false.
    public final func forEachRow<each Value: Storable>(
        of sql: StaticString, _ values: repeat each Value, do body: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        try run(sql, stored(repeat each values), inParts: true, read: body)
    }

    // Here, where each type is known at compile time, the values need no existential box.
    private func stored<each Value: Storable>(_ values: repeat each Value) -> [StoredValue] {
        var stored: [StoredValue] = []
        repeat stored.append((each values).stored)
        return stored
    }

    /// Runs a statement in the open transaction and calls `read` at each row, until it returns false.
    private func run(
        _ sql: StaticString, _ values: [StoredValue], inParts: Bool,
        read: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        try transaction.check()
        try send(sql, values, inParts: inParts, read: read)
    }

    /// Makes the error of damaged content, for code that verifies the meaning of its tables.
    public final func damage(_ reason: String) -> DatabaseError {
        let line = reason.split(separator: "\n").joined(separator: ": ")
        return DatabaseError(.corrupt, "checking", name, reason: line)
    }

    // MARK: - What an engine does

    /// Returns the size of the database in bytes.
    public func size() throws(DatabaseError) -> Int { preconditionFailure("an engine's") }

    /// The number of rows that the last insert, update or delete has changed.
    public var changedRows: Int { preconditionFailure("an engine's") }

    /// Whether a transaction is open and can be committed.
    var isInTransaction: Bool { preconditionFailure("an engine's") }

    func send(
        _ sql: StaticString, _ values: [StoredValue], inParts: Bool,
        read: (borrowing Row) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        preconditionFailure("an engine's")
    }

    /// Runs a statement once for each row of values, and returns how many rows of the table each run has changed.
    func sendEach(_ sql: StaticString, _ rows: [[StoredValue]]) throws(DatabaseError) -> [Int] {
        try rows.map { row throws(DatabaseError) in
            try send(sql, row, inParts: false) { _ throws(DatabaseError) in true }
            return changedRows
        }
    }

    func start(writing: Bool) throws(DatabaseError) { preconditionFailure("an engine's") }

    func end() throws(DatabaseError) { preconditionFailure("an engine's") }

    func undo() { preconditionFailure("an engine's") }

    /// Ends the connection in order; `deinit` does the rest.
    func close() {}

    /// Does the work that a commit leaves behind; returns whether to be called again in a second.
    func tidy() -> Bool { false }

    /// Empties the log of the engine after the commit of this write, so that it no longer holds what this write deletes.
    ///
    /// Does nothing for PostgreSQL, whose log is its operator's.
    public func eraseLogAfterCommit() {}
}

/// The open transaction of a connection, if there is one.
struct Transaction {
    var isOpen = false
    /// Why the engine has rolled the transaction back, or why it must not be committed.
    private(set) var failure: DatabaseError?
    var actions: [() -> Void] = []

    /// Throws if the engine has rolled the transaction back.
    // Without this check, each further statement would be a transaction of its own.
    func check() throws(DatabaseError) {
        if let failure { throw failure }
    }

    mutating func fail(with error: DatabaseError) {
        if isOpen { failure = failure ?? error }
    }
}

extension Connection {
    // MARK: - Begin and end

    /// Begins a transaction: one that writes, after those of all other writers, or one that only reads; all queries of
    /// the latter see the database as it is at the first one.
    func begin(writing: Bool) throws(DatabaseError) {
        try start(writing: writing)
        transaction = Transaction(isOpen: true)
    }

    func rollBack() {
        transaction = Transaction()
        undo()
    }

    /// Commits the transaction and runs its actions, or rolls it back if the commit fails.
    func commit() throws(DatabaseError) {
        do throws(DatabaseError) {
            try transaction.check()
            try end()
        } catch {
            rollBack()
            throw error
        }
        let actions = transaction.actions
        transaction = Transaction()
        complete(actions)
    }

    func complete(_ actions: [() -> Void]) {
        commitCount.withLock { $0 += 1 }
        for action in actions { action() }
    }

    /// Calls `action` once the changes of this write are on disk, before any write that shares the commit returns.
    ///
    /// Actions run in the order of the writes, on the writer's queue; they must be short and must not wait for the database.
    /// If the write is rolled back, its actions do not run.
    public final func afterCommit(_ action: @escaping () -> Void) {
        transaction.actions.append(action)
    }

    // MARK: - Writes in one transaction

    /// Runs a write in the open transaction, which must be rolled back if this throws.
    func runWithoutSavepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        let value = try body(self)
        guard isInTransaction else {
            throw DatabaseError(.other, "writing to", name, reason: "the body of the write has ended the transaction")
        }
        return value
    }

    /// Runs a write in the open transaction, and undoes this write alone if it throws.
    func runInSavepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try execute("savepoint body")
        let actionCount = transaction.actions.count
        do {
            let value = try body(self)
            try execute("release body")
            return value
        } catch {
            transaction.actions.removeLast(transaction.actions.count - actionCount)
            do throws(DatabaseError) {
                try execute("rollback to body")
                try execute("release body")
            } catch let failure {
                transaction.fail(with: failure)
            }
            throw error
        }
    }
}
