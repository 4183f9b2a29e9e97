import Concurrency
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct CheckpointTests {
    /// Four hundred pages of 4 KiB.
    static let large = [UInt8](repeating: 7, count: 400 * 4_096)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func size(of name: String) throws -> Int { try folder.data(of: name).count }

    @Test("the write-ahead log starts again after a thousand pages, however much is written", .patience)
    func isBounded() async throws {
        let database = try Notes.database(in: folder)
        for number in 0..<20 {
            try await database.write { try $0.insertNote("\(number)", bytes: Self.large) }
        }
        // A thousand pages, and the rest of the commit that exceeded them.
        #expect(try size(of: "notes.db-wal") < 1_500 * 4_120)
        #expect(try await database.notes().count == 20)
    }

    @Test("a commit that fills the log is reported before the checkpoint", .patience)
    func comesFirst() async throws {
        let database = try Notes.database(in: folder)
        let path = folder.file("notes.db")
        let before = try size(of: "notes.db")
        let atCommit = Locked<Int?>(nil)
        try await database.write { connection in
            for number in 0..<3 { try connection.insertNote("\(number)", bytes: Self.large) }
            connection.afterCommit {
                let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                atCommit.withLock { $0 = size }
            }
        }
        #expect(atCommit.withLock { $0 } == before)
        // The next write runs after the checkpoint, on the same queue.
        try await database.write { try $0.insertNote("next") }
        #expect(try size(of: "notes.db") > 3 * Self.large.count)
    }
}
