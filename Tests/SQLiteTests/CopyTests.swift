import Foundation
import TestSupport
import Testing

@testable import SQLite

@Suite struct CopyTests {
    let folder: TemporaryFolder
    let schema = Schema(Notes.component)

    init() throws {
        folder = try TemporaryFolder()
    }

    func copy(
        from source: String = "notes.db", to name: String = "copy",
        proof: (Connection) throws(DatabaseError) -> Void = { _ in }
    ) throws(DatabaseError) {
        try Database.copy(from: folder.file(source), to: folder.file(name), schema: schema, proof: proof)
    }

    func notes(in name: String) throws -> [String] {
        try Database.inspect(path: folder.file(name), schema: schema) { try $0.notes() }
    }

    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
    }

    @Test(
        "a copy taken while others write has all that was acknowledged before, and whole writes only",
        .timeLimit(.minutes(5)))
    func whileWriting() async throws {
        let database = try Notes.database(in: folder)
        let (acknowledgements, acknowledge) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    try await database.write {
                        try $0.note("\(number) a")
                        try $0.note("\(number) b")
                    }
                    acknowledge.yield(number)
                }
            }
            var promised: Set<String> = []
            var copies = 0
            for await number in acknowledgements {
                promised.formUnion(["\(number) a", "\(number) b"])
                if promised.count.isMultiple(of: 120) {
                    copies += 1
                    try copy(to: "copy \(copies)")
                    let kept = try notes(in: "copy \(copies)")
                    #expect(promised.isSubset(of: kept))
                    #expect(kept.filter { $0.hasSuffix("a") }.count == kept.filter { $0.hasSuffix("b") }.count)
                    #expect(Set(kept).count == kept.count)
                }
                if promised.count == 600 { break }
            }
            #expect(copies == 5)
            try await group.waitForAll()
        }
    }

    @Test("a copy is one file, without a log beside it")
    func oneFile() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.note("kept") }
        try copy()
        #expect(try notes(in: "copy") == ["kept"])
        #expect(try names == ["notes.db", "notes.db-wal", "notes.db-shm", "notes.db-lock", "copy"])
        await database.close()
    }

    @Test("a name that is taken is left alone")
    func taken() async throws {
        try await Notes.database(in: folder).close()
        try folder.write(Data("mine".utf8), to: "copy")
        let error = #expect(throws: DatabaseError.self) { try copy() }
        #expect(error?.kind == .exists)
        #expect(error?.description.contains("\(folder.file("copy")): File exists") == true)
        #expect(try folder.data(of: "copy") == Data("mine".utf8))
    }

    @Test("a copy that fails leaves nothing behind")
    func failing() async throws {
        try await Notes.database(in: folder).close()
        let before = try names
        #expect(throws: DatabaseError.self) {
            try copy { connection throws(DatabaseError) in throw connection.damage("no good") }
        }
        #expect(throws: DatabaseError.self) { try copy(from: "nothing") }
        try folder.write(Data(), to: "empty")
        let empty = #expect(throws: DatabaseError.self) { try copy(from: "empty") }
        #expect(empty?.kind == .notADatabase)
        let nowhere = #expect(throws: DatabaseError.self) { try copy(to: "missing/copy") }
        #expect(nowhere?.kind == .cannotOpen)
        // Whoever reads a database with a write-ahead log leaves these two.
        #expect(try names == before.union(["empty", "notes.db-wal", "notes.db-shm"]))
    }

    @Test("looking at a database changes nothing, and needs one of this version")
    func inspecting() async throws {
        #expect(throws: DatabaseError.self) { try notes(in: "notes.db") }
        #expect(try names == [])
        try await Notes.database(in: folder).close()
        let newer = Schema(
            Schema.Component("notes", migrations: Notes.component.migrations + ["alter table note add column x;"]))
        let error = #expect(throws: DatabaseError.self) {
            try Database.inspect(path: folder.file("notes.db"), schema: newer) { _ in }
        }
        #expect(error?.kind == .olderSchema)
        #expect(throws: DatabaseError.self) {
            try Database.inspect(path: folder.file("notes.db"), schema: schema) { try $0.note("not allowed") }
        }
        #expect(try notes(in: "notes.db") == [])
    }
}
