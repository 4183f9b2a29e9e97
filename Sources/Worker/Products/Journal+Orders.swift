import Events
import SQLite

extension Journal {
    /// What came with a request that has not ended.
    func enclosures(of id: RequestID) async throws -> Enclosures {
        try await database.read { connection in try Enclosed.find(of: id, in: connection) }
    }

    /// The mark of an order that may have been sent.
    func attempt(of id: RequestID) async throws -> Attempt? {
        try await database.read { connection in try Attempt.find(of: id, in: connection) }
    }

    /// Marks on disk that an order is about to be sent.
    func begin(_ attempt: Attempt, of id: RequestID) async throws {
        try await database.write { connection in try attempt.note(of: id, in: connection) }
    }
}
