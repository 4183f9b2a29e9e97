import Foundation
import TestSupport
import Testing

@testable import SQLite

/// What was acknowledged must be there at the next start, or the start be refused.
@Suite struct LossTests {
    /// What a killed process leaves behind: the files of a database that is still open.
    let folder: TemporaryFolder

    init() async throws {
        let living = try TemporaryFolder()
        let database = try Notes.database(in: living)
        for number in 0..<10 { try await database.write { try $0.note("\(number)") } }
        folder = try TemporaryFolder()
        for name in ["notes.db", "notes.db-wal", "notes.db-lock"] { try living.copy(name, to: folder) }
        await database.close()
    }

    func refusal() throws -> DatabaseError {
        try #require(#expect(throws: DatabaseError.self) { _ = try Notes.database(in: folder) })
    }

    @Test("after a kill all is there, at this start and the next")
    func killed() async throws {
        for _ in 1...2 {
            let database = try Notes.database(in: folder)
            #expect(try await database.notes().count == 10)
            await database.close()
        }
    }

    @Test("a missing write-ahead log is noticed, at each start")
    func missingLog() throws {
        try FileManager.default.removeItem(atPath: folder.file("notes.db-wal"))
        for _ in 1...2 {
            let error = try refusal()
            #expect(error.kind == .corrupt)
            #expect(error.description.contains("are not in it: its -wal is missing or damaged"))
            #expect(error.description.contains("restore a backup"))
        }
    }

    @Test("a write-ahead log with a flipped byte, or cut short, is noticed", arguments: 0..<40)
    func damagedLog(seed: Int) throws {
        var log = try folder.data(of: "notes.db-wal")
        let place = log.count * seed / 40
        if seed.isMultiple(of: 2) { log[place] ^= 0x10 } else { log = log.prefix(place) }
        try folder.write(log, to: "notes.db-wal")
        #expect(try refusal().kind == .corrupt)
        #expect(try folder.data(of: "notes.db-wal") == log)
    }

    @Test("a database that another program has tidied up is whole")
    func tidied() async throws {
        do {
            let shell = try Connection(ownedAt: folder.file("notes.db"))
            #expect(try shell.notes().count == 10)
        }
        #expect(!folder.contains("notes.db-wal"))
        #expect(try await Notes.database(in: folder).notes().count == 10)
    }

    @Test("a database that has vanished is noticed, and begun anew without the lock's file")
    func vanished() throws {
        for name in ["notes.db", "notes.db-wal"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
        #expect(try refusal().reason.hasPrefix("the file is gone"))
        #expect(!folder.contains("notes.db"))
        try FileManager.default.removeItem(atPath: folder.file("notes.db-lock"))
        #expect(throws: Never.self) { try Notes.database(in: folder) }
    }
}
