import Storage
import TestSupport
import Testing

@Suite struct SchemaTests {
    let folder: TemporaryFolder
    let newer = Schema("note", version: 2, Notes.table, "alter table note add column size integer;")

    init() throws {
        folder = try TemporaryFolder()
    }

    func open(_ schema: Schema) throws(DatabaseError) -> Database {
        try Database(path: folder.file("notes.db"), schema: schema)
    }

    @Test("a newer version's script runs once and keeps the existing rows; a new file gets all of them")
    func migration() async throws {
        let first = try open(Notes.schema)
        try await first.write { try $0.insertNote("old") }
        await first.close()
        for _ in 1...2 {
            let database = try open(newer)
            try await database.write { try $0.execute("update note set size = 3") }
            #expect(try await database.notes() == ["old"])
            await database.close()
        }
        let other = try Database(path: folder.file("other.db"), schema: newer)
        let version = try await other.read { connection in
            _ = try connection.query("select size from note", as: Int.self)
            return try connection.query("pragma user_version", as: Int.self)
        }
        #expect(version == [2])
    }

    @Test("a failed migration leaves the database as it was")
    func failedMigration() async throws {
        try await open(Notes.schema).close()
        let broken = Schema(
            "note", version: 3, Notes.table, "create table half (x integer) strict;", "invalid statement;")
        #expect(throws: DatabaseError.self) { _ = try open(broken) }
        let database = try open(Notes.schema)
        let tables = try await database.read {
            try $0.query("select name from sqlite_schema where name = 'half'", as: String.self)
        }
        #expect(tables == [])
    }

    @Test("a database of a newer version is rejected and that version can still open it")
    func newerVersion() async throws {
        try await open(newer).close()
        let error = #expect(throws: DatabaseError.self) { _ = try open(Notes.schema) }
        #expect(error?.kind == .newerSchema)
        #expect(error?.isRetryable == false)
        #expect(error?.advice?.contains("newer version") == true)
        try await open(newer).close()
    }

    @Test("a file of another kind of database is rejected, whatever its version")
    func anotherKind() async throws {
        try await open(Notes.schema).close()
        let error = #expect(throws: DatabaseError.self) { _ = try open(Schema("book", version: 1, Notes.table)) }
        #expect(error?.kind == .foreign)
    }

    @Test("a file whose version the scripts do not continue is rejected, or made anew if its content can be")
    func tooOld() async throws {
        try await open(Notes.schema).close()
        let only = Schema("note", version: 2, "create table page (number integer primary key) strict;")
        let error = #expect(throws: DatabaseError.self) { _ = try open(only) }
        #expect(error?.kind == .olderSchema)
        var reasons: [DatabaseError.Kind] = []
        for _ in 1...2 {
            let database = try Database.openOrRecreate(path: folder.file("notes.db"), schema: only) {
                reasons.append($0.kind)
            }
            try await database.write { try $0.execute("insert into page (number) values (null)") }
            await database.close()
        }
        #expect(reasons == [.olderSchema])
    }
}
