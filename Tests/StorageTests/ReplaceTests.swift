import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct ReplaceTests {
    let folder: TemporaryFolder
    let schema = Notes.schema

    init() throws {
        folder = try TemporaryFolder()
    }

    var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) }
    }

    @discardableResult func replace(
        with name: String = "copy", schema: Schema? = nil,
        change: (Connection) throws(DatabaseError) -> Void = { _ in }
    ) throws(DatabaseError) -> String? {
        try Database.replace(
            path: folder.file("notes.db"), with: folder.file(name), schema: schema ?? self.schema, change: change)
    }

    func notes(in name: String) throws -> [String] {
        try Database.inspect(.file(folder.file(name)), schema: schema) { try $0.notes() }
    }

    /// Makes a database with the notes `old` and `new`, and a copy of it with the first one only.
    func makeDatabaseAndCopy() async throws -> Database {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("old") }
        try Database.copy(from: folder.file("notes.db"), to: folder.file("copy"), schema: schema) { _ in }
        try await database.write { try $0.insertNote("new") }
        return database
    }

    /// Starts another process that reads a database and keeps it open until its input ends.
    func startReader(of name: String) throws -> (process: Process, input: FileHandle) {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
            print(database.execute("select count(*) from note").fetchone()[0], end="", flush=True)
            sys.stdin.read()
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script, folder.file(name)]
        let (input, output) = try childStart.withLock { _ in
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            return (input.fileHandleForWriting, output.fileHandleForReading)
        }
        #expect(output.availableData == Data("2".utf8))
        return (process, input)
    }

    @Test("a changed copy replaces the database, which is kept under another name")
    func replacing() async throws {
        try await makeDatabaseAndCopy().close()
        let kept = try replace { connection throws(DatabaseError) in try connection.insertNote("changed") }
        #expect(kept == folder.file("notes.db-replaced-1"))
        #expect(try notes(in: "notes.db-replaced-1") == ["old", "new"])
        let database = try Notes.database(in: folder)
        #expect(try await database.notes() == ["old", "changed"])
        await database.close()
        #expect(try notes(in: "copy") == ["old"])
        #expect(try replace() == folder.file("notes.db-replaced-2"))
    }

    @Test("nothing is kept if there was no database")
    func fresh() async throws {
        try await makeDatabaseAndCopy().close()
        let other = try TemporaryFolder()
        let kept = try Database.replace(path: other.file("notes.db"), with: folder.file("copy"), schema: schema) { _ in
        }
        #expect(kept == nil)
        #expect(try await Notes.database(in: other).notes() == ["old"])
    }

    @Test("a database that another process writes or reads is not replaced")
    func inUse() async throws {
        let database = try await makeDatabaseAndCopy()
        let written = #expect(throws: DatabaseError.self) { try replace() }
        #expect(written?.kind == .inUse)
        await database.close()
        let (reader, input) = try startReader(of: "notes.db")
        let read = #expect(throws: DatabaseError.self) { try replace() }
        #expect(read?.kind == .busy)
        #expect(read?.reason == "process \(reader.processIdentifier) has it open")
        #expect(try !names.contains("notes.db-replaced-1"))
        try input.close()
        reader.waitUntilExit()
        #expect(try replace() != nil)
    }

    @Test("a damaged database is kept with its write-ahead log", arguments: [20, 5_000])
    func damaged(size: Int) async throws {
        try await makeDatabaseAndCopy().close()
        try folder.write(Data(repeating: 7, count: size), to: "notes.db")
        try folder.write(Data("log".utf8), to: "notes.db-wal")
        try replace()
        #expect(try folder.data(of: "notes.db-replaced-1").count == size)
        #expect(try folder.data(of: "notes.db-replaced-1-wal") == Data("log".utf8))
        #expect(try await Notes.database(in: folder).notes() == ["old"])
    }

    @Test("the write-ahead log of a missing database is not applied to its successor")
    func missingDatabase() async throws {
        let database = try await makeDatabaseAndCopy()
        let log = try folder.data(of: "notes.db-wal")
        await database.close()
        try FileManager.default.removeItem(atPath: folder.file("notes.db"))
        try folder.write(log, to: "notes.db-wal")
        #expect(try replace() == nil)
        #expect(try await Notes.database(in: folder).notes() == ["old"])
    }

    @Test("a file that is not a whole database replaces nothing", arguments: ["empty", "text", "cut", "missing"])
    func unfit(name: String) async throws {
        try await makeDatabaseAndCopy().close()
        try folder.write(Data(), to: "empty")
        try folder.write(Data(repeating: 65, count: 9_000), to: "text")
        try folder.write(folder.data(of: "copy").dropLast(5_000), to: "cut")
        let before = try names
        let error = #expect(throws: DatabaseError.self) { try replace(with: name) }
        #expect(error?.description.contains(folder.file(name)) == true)
        #expect(try names == before)
        #expect(try await Notes.database(in: folder).notes() == ["old", "new"])
    }

    @Test("a failed change replaces nothing")
    func failingChange() async throws {
        try await makeDatabaseAndCopy().close()
        let before = try names
        #expect(throws: DatabaseError.self) {
            try replace { connection throws(DatabaseError) in throw connection.damage("invalid row") }
        }
        #expect(try names == before)
    }

    @Test("a copy of an older version is migrated")
    func older() async throws {
        try await makeDatabaseAndCopy().close()
        let newer = Schema("note", version: 2, Notes.table, "alter table note add column colour text;")
        try replace(schema: newer) { connection throws(DatabaseError) in
            try connection.execute("update note set colour = 'red'")
        }
        await #expect(throws: Never.self) { try await Database(path: folder.file("notes.db"), schema: newer).close() }
    }

    @Test("a database can be replaced by a copy of itself")
    func byItself() async throws {
        try await makeDatabaseAndCopy().close()
        try replace(with: "notes.db")
        #expect(try await Notes.database(in: folder).notes() == ["old", "new"])
    }

    @Test("an older file in place of the database is detected, and can be restored")
    func olderFile() async throws {
        try await makeDatabaseAndCopy().close()
        try FileManager.default.removeItem(atPath: folder.file("notes.db"))
        try folder.copy("copy", to: "notes.db")
        let error = #expect(throws: DatabaseError.self) { _ = try Notes.database(in: folder) }
        #expect(error?.reason.hasPrefix("1 acknowledged commits are missing") == true)
        try replace()
        for _ in 1...2 {
            let restored = try Notes.database(in: folder)
            #expect(try await restored.notes() == ["old"])
            await restored.close()
        }
    }
}
