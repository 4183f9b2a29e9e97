import CSQLite
import Synchronization

/// The open transaction of a connection, if there is one.
struct Transaction {
    enum State {
        case none
        case open
        /// SQLite has rolled the transaction back, or it must not be committed.
        case failed(DatabaseError)
    }

    var state = State.none
    /// The actions to run after the commit.
    var actions: [() -> Void] = []
    /// The connection's number of changed rows when the transaction began.
    var changesBefore = 0

    /// Throws if SQLite has rolled the transaction back.
    // Without this check, each further statement would be a transaction of its own.
    func check() throws(DatabaseError) {
        if case .failed(let error) = state { throw error }
    }

    /// Marks an open transaction as failed.
    mutating func fail(with error: DatabaseError) {
        if case .open = state { state = .failed(error) }
    }
}

/// Counts commits, for caches of what was read from the database.
final class CommitCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func increment() {
        count.add(1, ordering: .releasing)
    }
}

extension Connection {
    // MARK: - Begin and end

    /// Begins a transaction that writes.
    // Immediate, because a transaction that reads first and writes later can fail without waiting for the lock.
    func beginWriting() throws(DatabaseError) {
        try execute("begin immediate")
        transaction = Transaction(state: .open, changesBefore: changeCount)
    }

    /// Begins a transaction that only reads; all its queries see the database as it is at the first one.
    func beginReading() throws(DatabaseError) {
        try execute("begin deferred")
        transaction = Transaction(state: .open)
    }

    /// Commits the transaction and runs its actions, or rolls it back if the commit fails.
    ///
    /// When it returns, the changes are on disk. A commit that changes rows is counted, in the database and then in the lock
    /// file; `FileLock` says why.
    func commit() throws(DatabaseError) {
        do throws(DatabaseError) {
            let count = changeCount == transaction.changesBefore ? nil : try incrementStoredCommitCount()
            try execute("commit")
            transaction.state = .none
            if let count {
                storedCommitCount = count
                handle.recordCommits(count)
            }
            commitCounter.increment()
        } catch {
            rollBack()
            throw error
        }
        let actions = transaction.actions
        transaction.actions = []
        for action in actions { action() }
    }

    /// Rolls the transaction back, if there is one.
    func rollBack() {
        transaction = Transaction()
        // After some errors SQLite has rolled it back already.
        if sqlite3_get_autocommit(handle.pointer) == 0 { try? execute("rollback") }
    }

    /// Calls `action` once the changes of this write are on disk, before any write that shares the commit returns.
    ///
    /// Actions run in the order of the writes, on the writer's queue; they must be short and must not wait for the database.
    /// If the write is rolled back, its actions do not run.
    public func afterCommit(_ action: @escaping () -> Void) {
        transaction.actions.append(action)
    }

    /// The number of rows that this connection has changed, including those of undone writes (`sqlite3_total_changes64`).
    private var changeCount: Int { Int(sqlite3_total_changes64(handle.pointer)) }

    /// Increments the number of commits in the database and returns it.
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

    // MARK: - Writes in one transaction

    /// Runs a write in the open transaction, which must be rolled back if this throws.
    func runWithoutSavepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        let value = try body(self)
        guard sqlite3_get_autocommit(handle.pointer) == 0 else {
            throw DatabaseError(.other, "writing to", path, reason: "the body of the write has ended the transaction")
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
