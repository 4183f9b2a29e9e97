import Dispatch

/// The connection that reads, on a queue of its own: reads and commits do not wait for each other.
actor Reader {
    private let queue = DispatchSerialExecutor(label: "database reader")
    private let name: String
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        name = connection.name
        self.connection = connection
    }

    func read<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) throws -> Value {
        guard let connection else {
            throw DatabaseError(.closed, "reading", name, reason: "the database is closed")
        }
        try connection.beginReading()
        defer { connection.rollBack() }
        return try body(connection)
    }

    func close() {
        connection = nil
    }
}

/// The executor of an actor that waits for the disk: runs one job at a time, never on the threads that tasks share.
final class DispatchSerialExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs work without a task, after all work that was enqueued before it.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    func run(after delay: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay, execute: work)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
