import Concurrency

/// The open transaction of a connection, if there is one.
struct Transaction {
    var isOpen = false
    /// Why the engine has rolled the transaction back, or why it must not be committed.
    private(set) var failure: DatabaseError?
    /// The actions to run after the commit.
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

    func beginWriting() throws(DatabaseError) {
        try begin(writing: true)
        transaction = Transaction(isOpen: true)
    }

    /// Begins a transaction that only reads; all its queries see the database as it is at the first one.
    func beginReading() throws(DatabaseError) {
        try begin(writing: false)
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

    /// Counts a commit and runs its actions.
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
