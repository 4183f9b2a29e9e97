import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct CopyTests {
    let folder: TemporaryFolder
    let schema = Notes.schema

    init() throws {
        folder = try TemporaryFolder()
    }

    func copy(
        from source: String = "notes.db", to name: String = "copy",
        verify: (Connection) throws(DatabaseError) -> Void = { _ in }
    ) throws(DatabaseError) {
        try Database.copy(from: folder.file(source), to: folder.file(name), schema: schema, verify: verify)
    }

    func notes(in name: String) throws -> [String] {
        try Database.inspect(.file(folder.file(name)), schema: schema) { try $0.notes() }
    }

    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
    }

    @Test(
        "a copy made during writes has all writes acknowledged before, and only whole ones",
        .patience)
    func whileWriting() async throws {
        let database = try Notes.database(in: folder)
        let (acknowledgements, acknowledge) = AsyncStream<Int>.makeStream()
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    try await database.write {
                        try $0.insertNote("\(number) a")
                        try $0.insertNote("\(number) b")
                    }
                    acknowledge.yield(number)
                }
            }
            var acknowledged: Set<String> = []
            var copies = 0
            for await number in acknowledgements {
                acknowledged.formUnion(["\(number) a", "\(number) b"])
                if acknowledged.count.isMultiple(of: 120) {
                    copies += 1
                    try copy(to: "copy \(copies)")
                    let kept = try notes(in: "copy \(copies)")
                    #expect(acknowledged.isSubset(of: kept))
                    #expect(kept.filter { $0.hasSuffix("a") }.count == kept.filter { $0.hasSuffix("b") }.count)
                    #expect(Set(kept).count == kept.count)
                }
                if acknowledged.count == 600 { break }
            }
            #expect(copies == 5)
            try await group.waitForAll()
        }
    }

    @Test("a copy is one file, without a log beside it")
    func oneFile() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("kept") }
        try copy()
        #expect(try notes(in: "copy") == ["kept"])
        #expect(try names == ["notes.db", "notes.db-wal", "notes.db-shm", "notes.db-lock", "copy"])
        await database.close()
    }

    @Test("an existing file is not overwritten")
    func taken() async throws {
        try await Notes.database(in: folder).close()
        try folder.write(Data("mine".utf8), to: "copy")
        let error = #expect(throws: DatabaseError.self) { try copy() }
        #expect(error?.kind == .exists)
        #expect(error?.description.contains("\(folder.file("copy")): File exists") == true)
        #expect(try folder.data(of: "copy") == Data("mine".utf8))
    }

    @Test("a failed copy leaves no file behind")
    func failing() async throws {
        try await Notes.database(in: folder).close()
        let before = try names
        #expect(throws: DatabaseError.self) {
            try copy { connection throws(DatabaseError) in throw connection.damage("invalid row") }
        }
        #expect(throws: DatabaseError.self) { try copy(from: "nothing") }
        try folder.write(Data(), to: "empty")
        let empty = #expect(throws: DatabaseError.self) { try copy(from: "empty") }
        #expect(empty?.kind == .notADatabase)
        let nowhere = #expect(throws: DatabaseError.self) { try copy(to: "missing/copy") }
        #expect(nowhere?.kind == .cannotOpen)
        // A connection that reads a database with a write-ahead log leaves these two.
        #expect(try names == before.union(["empty", "notes.db-wal", "notes.db-shm"]))
    }

    @Test("inspecting a database changes nothing and needs a database of this version")
    func inspecting() async throws {
        #expect(throws: DatabaseError.self) { try notes(in: "notes.db") }
        #expect(try names == [])
        try await Notes.database(in: folder).close()
        let newer = Schema("note", version: 2, Notes.table, "alter table note add column x;")
        let error = #expect(throws: DatabaseError.self) {
            try Database.inspect(.file(folder.file("notes.db")), schema: newer) { _ in }
        }
        #expect(error?.kind == .olderSchema)
        #expect(throws: DatabaseError.self) {
            try Database.inspect(.file(folder.file("notes.db")), schema: schema) { try $0.insertNote("not allowed") }
        }
        #expect(try notes(in: "notes.db") == [])
    }
}
