import Concurrency
import Dispatch

/// The connection that writes, on a queue of its own; the writes that wait share one commit.
///
/// While a commit waits for the disk, further writes queue up. The first of them schedules the next commit, which contains
/// all that have arrived when it begins: under load, one `fsync` serves every waiting caller.
actor Writer {
    /// Resumes a write's caller; the error is that of the commit.
    private typealias Completion = @Sendable (DatabaseError?) -> Void

    private struct PendingWrite: Sendable {
        /// Runs the write: in a savepoint, so that it alone is undone if it throws, or without; nil is then returned if it
        /// throws, and the transaction must be rolled back.
        let run: @Sendable (Connection, _ inSavepoint: Bool) -> Completion?
        let fail: @Sendable (DatabaseError) -> Void
    }

    private let executor = DispatchSerialExecutor(label: "database writer")
    private let name: String
    private var connection: Connection?
    private let pending = Locked<[PendingWrite]>([])
    private var isTidying = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        name = connection.name
        self.connection = connection
    }

    nonisolated func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite { connection, inSavepoint in
                let result = Result {
                    try inSavepoint ? connection.runInSavepoint(body) : connection.runWithoutSavepoint(body)
                }
                // The write runs again in a savepoint, and throws its error there.
                if !inSavepoint, case .failure = result { return nil }
                return { failure in continuation.resume(with: failure.map(Result.failure) ?? result) }
            } fail: { error in
                continuation.resume(throwing: error)
            }
            let isFirst = pending.withLock { pending in
                pending.append(write)
                return pending.count == 1
            }
            if isFirst { executor.queue.async { self.assumeIsolated { $0.commit() } } }
        }
    }

    func close() {
        commit()
        connection?.close()
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
                throw DatabaseError(.closed, "writing to", name, reason: "the database is closed")
            }
            let completions = try run(group, on: connection)
            var failure: DatabaseError?
            do throws(DatabaseError) { try connection.commit() } catch { failure = error }
            for complete in completions { complete(failure) }
            tidy(connection)
        } catch {
            for write in group { write.fail(error) }
        }
    }

    /// Does what commits leave behind, once a second until it is done.
    private func tidy(_ connection: Connection) {
        guard connection.tidy(), !isTidying else { return }
        isTidying = true
        executor.queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            self?.assumeIsolated { writer in
                writer.isTidying = false
                if let connection = writer.connection { writer.tidy(connection) }
            }
        }
    }

    private func run(_ group: [PendingWrite], on connection: Connection) throws(DatabaseError) -> [Completion] {
        try connection.begin(writing: true)
        var completions: [Completion] = []
        for write in group {
            // Without savepoints at first, because SQLite copies pages for each one and a write rarely throws.
            guard let completion = write.run(connection, false) else {
                connection.rollBack()
                try connection.begin(writing: true)
                return group.compactMap { $0.run(connection, true) }
            }
            completions.append(completion)
        }
        return completions
    }
}

/// The connection that reads, on a queue of its own: reads and commits do not wait for each other.
actor Reader {
    private let executor = DispatchSerialExecutor(label: "database reader")
    private let name: String
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        name = connection.name
        self.connection = connection
    }

    func read<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) throws -> Value {
        guard let connection else {
            throw DatabaseError(.closed, "reading", name, reason: "the database is closed")
        }
        try connection.begin(writing: false)
        defer { connection.rollBack() }
        return try body(connection)
    }

    func close() {
        connection = nil
    }
}

/// The executor of an actor that waits for the disk: runs one job at a time, never on the threads that tasks share.
final class DispatchSerialExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
