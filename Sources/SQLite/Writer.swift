/// The connection that writes, on a queue of its own; it commits what has been asked for meanwhile in one go.
///
/// While a commit waits for the disk, further writes queue up for the actor. They all run before the next commit does,
/// which the first of them has queued behind them: under load one `fsync` serves everybody who waits.
actor Writer {
    /// A write that waits for the next commit.
    private struct Pending {
        /// Runs it; what comes back tells its caller how it ended, once it is known whether the commit failed.
        let run: (Connection) -> (DatabaseError?) -> Void
        /// Tells its caller that it can't be run.
        let refuse: (DatabaseError) -> Void
    }

    private let queue = SerialQueue(label: "SQLite writer")
    private let path: String
    private var connection: Connection?
    private var pending: [Pending] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        path = connection.path
        self.connection = connection
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = Pending { connection in
                let result = Result { try connection.savepoint(body) }
                return { failure in continuation.resume(with: failure.map(Result.failure) ?? result) }
            } refuse: { error in
                continuation.resume(throwing: error)
            }
            pending.append(write)
            if pending.count == 1 { Task { commit() } }
        }
    }

    func close() {
        commit()
        connection = nil
    }

    private func commit() {
        let group = pending
        pending = []
        guard !group.isEmpty else { return }
        do throws(DatabaseError) {
            guard let connection else {
                throw DatabaseError(.closed, "writing to", path, reason: "the database has been closed")
            }
            try connection.beginWriting()
            let reports = group.map { $0.run(connection) }
            var failure: DatabaseError?
            do throws(DatabaseError) { try connection.commit() } catch { failure = error }
            for report in reports { report(failure) }
        } catch {
            for write in group { write.refuse(error) }
        }
    }
}
