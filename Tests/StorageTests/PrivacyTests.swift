import Concurrency
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What the files keep of a row, and who can read them.
@Suite(.patience) struct PrivacyTests {
    private static let secret = "hunter2-hunter2-hunter2"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }

    private func filesWithSecret() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            try folder.data(of: name).range(of: Data(Self.secret.utf8)) != nil
        }
    }

    @Test("only its owner can read a database, the files beside it, and a copy")
    func permissions() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("a") }
        try Database.copy(
            from: folder.file("notes.db"), to: folder.file("copy"), schema: Notes.schema
        ) { _ in }
        for name in ["notes.db", "notes.db-wal", "notes.db-shm", "notes.db-lock", "copy"] {
            #expect(try mode(of: name) == 0o600, "\(name)")
        }
    }

    @Test("a deleted row is in no file once the log was erased")
    func erased() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote(Self.secret) }
        #expect(try filesWithSecret() == ["notes.db-wal"])
        try await database.write { connection in
            try connection.execute("delete from note")
            connection.eraseLogAfterCommit()
        }
        try await database.write { try $0.insertNote("next") }  // runs after the checkpoint, on the same queue
        #expect(try filesWithSecret() == [])
        #expect(try await database.notes() == ["next"])
    }

    @Test("a reader delays the erasure, not the writers, and the log is erased after it has left")
    func withReader() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote(Self.secret) }
        try await Database.inspectForTest(folder.file("notes.db")) {
            try await database.write { connection in
                try connection.execute("delete from note")
                connection.eraseLogAfterCommit()
            }
            try await database.write { try $0.insertNote("next") }
            #expect(try filesWithSecret() != [])
        }
        // No write comes any more: the erasure is tried again by itself.
        try await waitUntil("the erasure", look: { try filesWithSecret() }, is: \.isEmpty)
        #expect(try await database.notes() == ["next"])
    }

    @Test("an erasure that was rolled back is not made")
    func rolledBack() async throws {
        struct Stop: Error {}
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote(Self.secret) }
        await #expect(throws: Stop.self) {
            try await database.write { connection in
                connection.eraseLogAfterCommit()
                throw Stop()
            }
        }
        #expect(try filesWithSecret() == ["notes.db-wal"])
    }
}

extension Database {
    /// Runs `body` while another connection reads the database as it is now.
    fileprivate static func inspectForTest(_ path: String, _ body: () async throws -> Void) async throws {
        let reader = try SQLiteConnection(path: path)
        try reader.begin(writing: false)
        #expect(try reader.query("select count(*) from note", as: Int.self) == [1])
        try await body()
        reader.rollBack()
    }
}
