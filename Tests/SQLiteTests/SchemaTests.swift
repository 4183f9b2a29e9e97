import SQLite
import TestSupport
import Testing

@Suite struct SchemaTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }
    let colours = Schema.Component("colours", migrations: ["alter table note add column colour text;"])

    func open(_ schema: Schema) throws(DatabaseError) -> Database {
        try Database(path: folder.file("notes.db"), schema: schema)
    }

    @Test("a newer version's migrations run once and keep the existing rows")
    func migration() async throws {
        let first = try open(Schema(Notes.component))
        try await first.write { try $0.insertNote("old") }
        await first.close()
        let longer = Schema.Component(
            "notes", migrations: Notes.component.migrations + ["alter table note add column size integer;"])
        for _ in 1...2 {
            let database = try open(Schema(longer, colours))
            try await database.write { try $0.execute("update note set size = 3, colour = 'red'") }
            #expect(try await database.notes() == ["old"])
            await database.close()
        }
    }

    @Test("a failed migration leaves the database as it was")
    func failedMigration() async throws {
        try await open(Schema(Notes.component)).close()
        let broken = Schema.Component(
            "broken", migrations: ["create table half (x integer) strict;", "invalid statement;"])
        #expect(throws: DatabaseError.self) { _ = try open(Schema(Notes.component, broken)) }
        let database = try open(Schema(Notes.component))
        let tables = try await database.read {
            try $0.query("select name from sqlite_schema where name = 'half'", as: String.self)
        }
        #expect(tables == [])
    }

    @Test("a database of a newer version is rejected and that version can still open it")
    func newer() async throws {
        let longer = Schema.Component("notes", migrations: Notes.component.migrations + ["create table extra (x);"])
        for newer in [Schema(longer), Schema(longer, colours)] {
            try await open(newer).close()
            let error = #expect(throws: DatabaseError.self) { _ = try open(Schema(Notes.component)) }
            #expect(error?.kind == .newerSchema)
            #expect(error?.isRetryable == false)
            #expect(error?.advice?.contains("newer version") == true)
            try await open(newer).close()
        }
    }

    @Test("an unknown component is a newer version's")
    func unknownComponent() async throws {
        try await open(Schema(Notes.component, colours)).close()
        let error = #expect(throws: DatabaseError.self) { _ = try open(Schema(Notes.component)) }
        #expect(error?.kind == .newerSchema)
        #expect(error?.reason == "its component \"colours\" has version 1, and this program does not know it")
    }
}
