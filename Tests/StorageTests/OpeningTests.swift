import CLibc
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct OpeningTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func failure(opening path: String) throws -> DatabaseError {
        try #require(
            #expect(throws: DatabaseError.self) { _ = try Database(path: path, schema: Notes.schema) })
    }

    @Test("a reopened database has what was written, and no write-ahead log is left")
    func reopening() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("kept") }
        await database.close()
        #expect(!folder.contains("notes.db-wal"))
        let again = try Notes.database(in: folder)
        #expect(try await again.notes() == ["kept"])
        await again.close()
    }

    @Test("a commit is acknowledged once the disk has it")
    func synchronous() async throws {
        let database = try Notes.database(in: folder)
        // Two is FULL: SQLite syncs the write-ahead log at every commit.
        #expect(try await database.write { try $0.query("pragma synchronous", as: Int.self) } == [2])
    }

    @Test("a closed database rejects reads and writes, and can be closed again", .patience)
    func closed() async throws {
        let database = try Notes.database(in: folder)
        await database.close()
        let write = await #expect(throws: DatabaseError.self) { try await database.write { _ in } }
        #expect(write?.kind == .closed)
        let read = await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
        #expect(read?.kind == .closed)
        await database.close()
    }

    @Test("closing finishes the waiting writes", .patience)
    func closing() async throws {
        await (try Notes.database(in: folder)).close()
        let path = folder.file("notes.db")
        let writer = Writer(try SQLiteConnection(path: path, isWritten: true, lock: FileLock(database: path)))
        let gate = DispatchSemaphore(value: 0)
        let first = Task.immediate { try await writer.write { _ in gate.wait() } }
        let waiting = (0..<20).map { number in
            Task.immediate { try await writer.write { try $0.insertNote("\(number)") } }
        }
        let closing = Task.immediate { await writer.close() }  // runs before the commit that those have scheduled
        gate.signal()
        try await first.value
        for task in waiting { try await task.value }
        await closing.value
        #expect(try await Notes.database(in: folder).notes() == (0..<20).map(String.init))
    }

    @Test("a copy of the lock's descriptor in a child process does not keep the lock")
    func copiedDescriptor() async throws {
        let database = try Notes.database(in: folder)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let lock = try #require(
            descriptors.first {
                // Other tests open and close descriptors meanwhile.
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return path == folder.file("notes.db-lock")
            })
        let copy = dup(try #require(Int32(lock)))
        defer { close(copy) }
        await database.close()
        await (try Notes.database(in: folder)).close()
    }

    @Test("a second writer is rejected at once, and readers are not")
    func secondWriter() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("seen") }
        let error = try failure(opening: folder.file("notes.db"))
        #expect(error.kind == .inUse)
        #expect(error.reason == "process \(getpid()) has it open for writing")
        #expect(!error.isRetryable)
        let reader = try SQLiteConnection(path: folder.file("notes.db"))
        #expect(try reader.notes() == ["seen"])
        #expect(throws: DatabaseError.self) { try reader.insertNote("not allowed") }
        await database.close()
        await #expect(throws: Never.self) { try await Notes.database(in: folder).close() }
    }

    @Test("the lock file of a killed process does not keep the database locked")
    func staleLock() async throws {
        try folder.write(Data("1\n".utf8), to: "notes.db-lock")
        #expect(throws: Never.self) { try Notes.database(in: folder) }
    }

    @Test("a missing folder, or a file in its place, is reported")
    func noFolder() throws {
        try folder.write(Data(), to: "file")
        let missing = try failure(opening: folder.file("missing/notes.db"))
        #expect(missing.kind == .cannotOpen)
        #expect(missing.reason == "No such file or directory")
        let file = try failure(opening: folder.file("file/notes.db"))
        #expect(file.kind == .cannotOpen)
        #expect(file.reason == "Not a directory")
    }

    @Test("a folder that is not writable is reported")
    func readOnlyFolder() throws {
        #expect(chmod(folder.path, 0o555) == 0)
        defer { chmod(folder.path, 0o755) }
        let error = try withoutRootRights { try failure(opening: folder.file("notes.db")) }
        #expect(error.kind == .readOnly)
        #expect(error.description.contains(folder.file("notes.db")))
        #expect(error.description.contains("writable"))
    }

    @Test("a file that is not writable is reported")
    func readOnlyFile() async throws {
        try await Notes.database(in: folder).close()
        #expect(chmod(folder.file("notes.db"), 0o444) == 0)
        let error = try withoutRootRights { try failure(opening: folder.file("notes.db")) }
        #expect(error.kind == .readOnly)
    }

    /// Runs `body` as a user who owns the folder but cannot write every file, even if the tests run as root.
    private func withoutRootRights<Value>(_ body: () throws -> Value) throws -> Value {
        guard geteuid() == 0 else { return try body() }
        let user: uid_t = 65_534
        for path in [folder.path, folder.file("notes.db"), folder.file("notes.db-lock")] where access(path, F_OK) == 0 {
            try #require(chown(path, user, user) == 0)
        }
        // Changes the rights of this thread only. The second call returns whether the first one had an effect.
        setfsuid(user)
        defer { setfsuid(0) }
        try #require(setfsuid(user) == Int32(user))
        return try body()
    }

    @Test("a file that is not a database is reported and left as it is", arguments: [20, 5_000])
    func notADatabase(size: Int) throws {
        let text = Data(repeating: UInt8(ascii: "x"), count: size)
        try folder.write(text, to: "notes.db")
        #expect(try failure(opening: folder.file("notes.db")).kind == .notADatabase)
        #expect(try folder.data(of: "notes.db") == text)
    }

    @Test("another program's database is rejected and left as it is")
    func foreign() throws {
        do {
            try FileOperations.create(folder.file("notes.db"))
            let other = try SQLiteConnection(path: folder.file("notes.db"), isWritten: true)
            try other.execute("create table theirs (x)")
        }
        let before = try folder.data(of: "notes.db")
        #expect(try failure(opening: folder.file("notes.db")).kind == .foreign)
        #expect(try folder.data(of: "notes.db") == before)
    }

    enum Damage: CaseIterable {
        case overwritten
        case cutShort
    }

    @Test("a damaged file is detected when it is opened", arguments: Damage.allCases)
    func corrupt(_ damage: Damage) async throws {
        let database = try Notes.database(in: folder)
        try await database.write { connection in
            for number in 0..<1_000 { try connection.insertNote("a note of some length, number \(number)") }
        }
        await database.close()
        var data = try folder.data(of: "notes.db")
        switch damage {
        case .overwritten: data.replaceSubrange(40_000..<44_096, with: Data(repeating: 0x5a, count: 4_096))
        case .cutShort: data.removeLast(data.count / 3)
        }
        try folder.write(data, to: "notes.db")
        let error = try failure(opening: folder.file("notes.db"))
        #expect(error.kind == .corrupt)
        #expect(error.description.contains("restore a backup"))
    }
}
