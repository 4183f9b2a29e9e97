import Foundation
import TestSupport
import Testing

@testable import Storage

/// A database that lacks acknowledged commits does not open.
@Suite struct LossTests {
    /// The files that a killed process leaves behind: those of a database that is still open.
    let folder: TemporaryFolder

    init() async throws {
        let openFolder = try TemporaryFolder()
        let database = try Notes.database(in: openFolder)
        for number in 0..<10 { try await database.write { try $0.insertNote("\(number)") } }
        folder = try TemporaryFolder()
        for name in ["notes.db", "notes.db-wal", "notes.db-lock"] { try openFolder.copy(name, to: folder) }
        await database.close()
    }

    func openingError() throws -> DatabaseError {
        try #require(#expect(throws: DatabaseError.self) { _ = try Notes.database(in: folder) })
    }

    @Test("after a kill every commit is there, at this start and the next")
    func killed() async throws {
        for _ in 1...2 {
            let database = try Notes.database(in: folder)
            #expect(try await database.notes().count == 10)
            await database.close()
        }
    }

    @Test("a missing write-ahead log is detected at each start")
    func missingLog() throws {
        try FileManager.default.removeItem(atPath: folder.file("notes.db-wal"))
        for _ in 1...2 {
            let error = try openingError()
            #expect(error.kind == .corrupt)
            #expect(error.description.contains("are missing: its -wal file is missing or damaged"))
            #expect(error.description.contains("restore a backup"))
        }
    }

    @Test("a damaged or truncated write-ahead log is detected", arguments: 0..<40)
    func damagedLog(seed: Int) throws {
        var log = try folder.data(of: "notes.db-wal")
        let offset = log.count * seed / 40
        if seed.isMultiple(of: 2) { log[offset] ^= 0x10 } else { log = log.prefix(offset) }
        try folder.write(log, to: "notes.db-wal")
        #expect(try openingError().kind == .corrupt)
        #expect(try folder.data(of: "notes.db-wal") == log)
    }

    @Test("a database is complete after another program has removed its write-ahead log")
    func checkpointed() async throws {
        do {
            let shell = try SQLiteConnection(path: folder.file("notes.db"), isWritten: true)
            #expect(try shell.notes().count == 10)
        }
        #expect(!folder.contains("notes.db-wal"))
        #expect(try await Notes.database(in: folder).notes().count == 10)
    }

    @Test("a missing database is detected, and created again without its lock file")
    func missingDatabase() throws {
        for name in ["notes.db", "notes.db-wal"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
        #expect(try openingError().reason.hasPrefix("the file is missing"))
        #expect(!folder.contains("notes.db"))
        try FileManager.default.removeItem(atPath: folder.file("notes.db-lock"))
        #expect(throws: Never.self) { try Notes.database(in: folder) }
    }
}
