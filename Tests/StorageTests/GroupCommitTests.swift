import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import Storage

@Suite struct GroupCommitTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    struct WriteError: Error, Equatable {
        let text: String
    }

    typealias Write<Value> = @Sendable (Connection) throws -> Value

    /// Runs the writes in one commit: they queue up in order while an earlier write blocks the writer.
    func inOneCommit<Value: Sendable>(
        on database: Database, _ writes: [Write<Value>]
    ) async throws -> [Result<Value, any Error>] {
        let gate = DispatchSemaphore(value: 0)
        let (started, signal) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await database.write { _ in
                signal.finish()
                gate.wait()
            }
        }
        for await _ in started {}
        let tasks = writes.map { write in Task.immediate { try await database.write(write) } }
        gate.signal()
        try await first.value
        var results: [Result<Value, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    @Test("waiting writes run in order, in one transaction", .patience, arguments: Engine.allCases)
    func order(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let location = try await engine.location(in: folder)
        let texts = (1...100).map { "note \($0)" }
        let writes = texts.map { text -> Write<Int> in
            {
                try $0.insertNote(text)
                // Another connection sees nothing of the group before its commit.
                return try Database.inspect(location, schema: Notes.schema) { try $0.notes().count }
            }
        }
        let results = try await inOneCommit(on: database, writes)
        for result in results { #expect(try result.get() == 0) }
        #expect(try await database.notes() == texts)
    }

    @Test("a write that throws is undone alone, and its caller gets its error", .patience, arguments: Engine.allCases)
    func isolation(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let writes = (0..<30).map { number -> Write<Int> in
            { connection in
                try connection.insertNote("\(number)")
                try connection.insertNote("second of \(number)")
                if number % 3 == 1 { throw WriteError(text: "\(number)") }
                if number % 3 == 2 { try connection.insertNote("0") }
                return number
            }
        }
        for (number, result) in try await inOneCommit(on: database, writes).enumerated() {
            switch number % 3 {
            case 0: #expect(try result.get() == number)
            case 1: #expect(throws: WriteError(text: "\(number)")) { try result.get() }
            default:
                let error = #expect(throws: DatabaseError.self) { try result.get() }
                #expect(error?.kind == .constraint)
            }
        }
        let kept = stride(from: 0, to: 30, by: 3).flatMap { ["\($0)", "second of \($0)"] }
        #expect(try await database.notes() == kept)
    }

    @Test(
        "a write runs once, and again only if one that shares its commit throws", .patience,
        arguments: Engine.allCases, [false, true])
    func runs(_ engine: Engine, _ throwsOne: Bool) async throws {
        let database = try await engine.database(in: folder)
        let runs = Locked([0, 0, 0])
        let writes = (0..<3).map { number -> Write<Int?> in
            { connection in
                runs.withLock { $0[number] += 1 }
                try connection.insertNote("\(number)")
                if throwsOne, number == 1 { throw WriteError(text: "1") }
                return nil
            }
        }
        let results = try await inOneCommit(on: database, writes)
        #expect(try results[0].get() == nil && results[2].get() == nil)
        #expect(runs.withLock { $0 } == (throwsOne ? [2, 2, 1] : [1, 1, 1]))
        #expect(try await database.notes() == (throwsOne ? ["0", "2"] : ["0", "1", "2"]))
    }

    @Test(
        "actions run after the commit, in order, and never for an undone write", .patience, arguments: Engine.allCases)
    func afterCommit(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let location = try await engine.location(in: folder)
        let ran = Locked<[String]>([])
        let writes = (0..<6).map { number -> Write<Void> in
            { connection in
                try connection.insertNote("\(number)")
                connection.afterCommit {
                    // Another connection already sees what the whole group wrote.
                    let outside = try? Database.inspect(location, schema: Notes.schema) { try $0.notes().count }
                    ran.withLock { $0.append("\(number) of \(outside ?? 0)") }
                }
                if number % 2 == 1 { throw WriteError(text: "\(number)") }
            }
        }
        for (number, result) in try await inOneCommit(on: database, writes).enumerated() where number % 2 == 0 {
            try result.get()
        }
        #expect(ran.withLock { $0 } == ["0 of 3", "2 of 3", "4 of 3"])
    }

    @Test(
        "a failed commit undoes all writes that share it, and the database stays usable", .patience,
        arguments: Engine.allCases)
    func failedCommit(_ engine: Engine) async throws {
        let debts = """
            create table debt (
                note integer not null references note (number) deferrable initially deferred
            ) strict;
            """
        let schema = Schema("note", version: 1, Notes.table + debts)
        let database = try await engine.database(in: folder, schema: schema)
        let writes: [Write<Void>] = [
            { try $0.insertNote("innocent") },
            { try $0.execute("insert into debt (note) values (99)") },  // violates a constraint that the commit checks
            { try $0.insertNote("as innocent") },
        ]
        let results = try await inOneCommit(on: database, writes)
        for result in results {
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.kind == .constraint)
        }
        #expect(try await database.notes() == [])
        try await database.write { try $0.insertNote("after") }
        #expect(try await database.notes() == ["after"])
    }

    @Test("a transaction that SQLite rolls back fails all writes that share it", .patience)
    func lostTransaction() async throws {
        let database = try Notes.database(in: folder)
        let writes: [Write<Void>] = [
            { try $0.insertNote("before") },
            { try $0.execute("insert or rollback into note (number, text) values (1, 'twice')") },
            { try $0.insertNote("after") },
        ]
        let results = try await inOneCommit(on: database, writes)
        for result in results {
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.kind == .constraint)
        }
        #expect(try await database.notes() == [])
        try await database.write { try $0.insertNote("later") }
        #expect(try await database.notes() == ["later"])
    }

    @Test(
        "a write that ends the transaction fails, and so do those that share it", .patience, arguments: Engine.allCases)
    func endedTransaction(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let writes: [Write<Void>] = [{ try $0.execute("rollback") }, { try $0.insertNote("after") }]
        for result in try await inOneCommit(on: database, writes) {
            #expect(throws: DatabaseError.self) { try result.get() }
        }
        #expect(try await database.notes() == [])
        try await database.write { try $0.insertNote("later") }
        #expect(try await database.notes() == ["later"])
    }

    @Test("a full disk undoes all writes that share the commit, and the database stays usable", .patience)
    func full() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.execute("pragma max_page_count = 20") }
        try await database.write { try $0.insertNote("kept") }
        let big = [UInt8](repeating: 7, count: 1 << 20)
        let writes: [Write<Void>] = [
            { try $0.insertNote("before") },
            { try $0.insertNote("big", bytes: big) },
            { try $0.insertNote("after") },
        ]
        for result in try await inOneCommit(on: database, writes) {
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.kind == .full)
            #expect(error?.isRetryable == true)
            #expect(error?.description.contains(folder.file("notes.db")) == true)
            #expect(error?.description.contains("free space") == true)
        }
        #expect(try await database.notes() == ["kept"])
        try await database.write { try $0.execute("pragma max_page_count = 2000") }
        try await database.write { try $0.insertNote("big", bytes: big) }
        #expect(try await database.notes() == ["kept", "big"])
    }

    @Test("writes that wait for the disk do not block the threads that tasks share", .patience)
    func pool() async throws {
        let gate = DispatchSemaphore(value: 0)
        let databases = try (0..<8).map { number in
            try Database(path: folder.file("\(number).db"), schema: Notes.schema)
        }
        let stuck = databases.map { database in Task { try await database.write { _ in gate.wait() } } }
        for number in 0..<100 { #expect(await Task { number }.value == number) }
        for _ in stuck { gate.signal() }
        for task in stuck { try await task.value }
    }

    @Test("the files of a killed process contain every acknowledged write", .patience)
    func killed() async throws {
        let database = try Notes.database(in: folder)
        let (acknowledgements, acknowledge) = AsyncStream<String>.makeStream()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    try await database.write { try $0.insertNote("\(number)") }
                    acknowledge.yield("\(number)")
                }
            }
            var acknowledged: Set<String> = []
            for await text in acknowledgements {
                acknowledged.insert(text)
                if acknowledged.count.isMultiple(of: 40) {
                    // The main file first: it is as old as the last checkpoint. The log may grow meanwhile and be torn
                    // anywhere, as a killed process would leave it.
                    let copy = try TemporaryFolder()
                    for name in ["notes.db", "notes.db-wal"] { try folder.copy(name, to: copy) }
                    let kept = try await Notes.database(in: copy).notes()
                    #expect(acknowledged.isSubset(of: kept))
                }
                if acknowledged.count == 200 { break }
            }
            try await group.waitForAll()
        }
    }
}
