import Concurrency

/// The connection that writes, on a queue of its own; it commits what has been asked for meanwhile in one go.
///
/// While a commit waits for the disk, further writes queue up. The first of them has asked for the next commit, and all
/// that have come until it begins are in it: under load one `fsync` serves everybody who waits.
actor Writer {
    /// Tells a write's caller how it ended, once it is known whether the commit failed.
    private typealias Report = @Sendable (DatabaseError?) -> Void

    /// A write that waits for the next commit.
    private struct Pending: Sendable {
        /// Runs it; nothing if it throws, and then the transaction must be rolled back.
        let attempt: @Sendable (Connection) -> Report?
        /// Runs it so that it is undone alone if it throws.
        let run: @Sendable (Connection) -> Report
        /// Tells its caller that it can't be run.
        let refuse: @Sendable (DatabaseError) -> Void
    }

    private let queue = SerialQueue(label: "SQLite writer")
    private let path: String
    private var connection: Connection?
    private let pending = Locked<[Pending]>([])

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        path = connection.path
        self.connection = connection
    }

    nonisolated func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = Pending { connection in
                // Why it throws, it says again when it runs in a savepoint.
                guard case .success(let value) = Result(catching: { try connection.attempt(body) }) else { return nil }
                return { failure in continuation.resume(with: failure.map(Result.failure) ?? .success(value)) }
            } run: { connection in
                let result = Result { try connection.savepoint(body) }
                return { failure in continuation.resume(with: failure.map(Result.failure) ?? result) }
            } refuse: { error in
                continuation.resume(throwing: error)
            }
            let isFirst = pending.withLock { pending in
                pending.append(write)
                return pending.count == 1
            }
            if isFirst { queue.run { self.assumeIsolated { $0.commit() } } }
        }
    }

    func close() {
        commit()
        connection = nil
    }

    private func commit() {
        let group = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        guard !group.isEmpty else { return }
        do throws(DatabaseError) {
            guard let connection else {
                throw DatabaseError(.closed, "writing to", path, reason: "the database has been closed")
            }
            let reports = try run(group, on: connection)
            var failure: DatabaseError?
            do throws(DatabaseError) { try connection.commit() } catch { failure = error }
            for report in reports { report(failure) }
            connection.checkpointIfDue()
        } catch {
            for write in group { write.refuse(error) }
        }
    }

    /// Runs writes in one transaction, bare; if one of them throws, all once more, each so that it is undone alone. That is
    /// rare, and a savepoint for each, for which SQLite copies pages, is not to be paid by all the others.
    private func run(_ group: [Pending], on connection: Connection) throws(DatabaseError) -> [Report] {
        try connection.beginWriting()
        var reports: [Report] = []
        for write in group {
            guard let report = write.attempt(connection) else {
                connection.rollBack()
                try connection.beginWriting()
                return group.map { $0.run(connection) }
            }
            reports.append(report)
        }
        return reports
    }
}
