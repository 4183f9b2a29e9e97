import Contract
import SQLite

extension WorkerStore {
    /// What came with a request that has not ended.
    func attachments(of id: RequestID) async throws -> Attachments {
        try await database.read { connection in try AttachmentTable.find(of: id, in: connection) }
    }

    /// The mark of an order that may have been sent.
    func attempt(of id: RequestID) async throws -> OrderIntent? {
        try await database.read { connection in try OrderIntent.find(of: id, in: connection) }
    }

    /// Marks on disk that an order is about to be sent.
    func begin(_ attempt: OrderIntent, of id: RequestID) async throws {
        try await database.write { connection in try attempt.note(of: id, in: connection) }
    }
}
