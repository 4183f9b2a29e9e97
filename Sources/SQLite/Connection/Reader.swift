/// The connection that reads, on a queue of its own: no reader waits for a commit, and no commit for a reader.
actor Reader {
    private let queue = SerialQueue(label: "SQLite reader")
    private let path: String
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ connection: sending Connection) {
        path = connection.path
        self.connection = connection
    }

    func read<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) throws -> Value {
        guard let connection else {
            throw DatabaseError(.closed, "reading", path, reason: "the database has been closed")
        }
        try connection.beginReading()
        defer { connection.rollBack() }
        return try body(connection)
    }

    func close() {
        connection = nil
    }
}
