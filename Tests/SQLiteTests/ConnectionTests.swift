import SQLite
import TestSupport
import Testing

@Suite struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "text is read as it was written",
        arguments: ["", "파묘", "it's \"quoted\"", "'); drop table note; --", "nul \0 inside", "🎬"])
    func text(_ text: String) async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote(text) }
        #expect(try await database.notes() == [text])
    }

    @Test(
        "bytes are read as they were written, empty bytes are not null, and null is nil",
        arguments: [nil, [], [0, 255]])
    func bytes(_ bytes: [UInt8]?) async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("text", bytes: bytes) }
        let read = try await database.read { try $0.query("select bytes from note", as: [UInt8]?.self) }
        #expect(read == [bytes])
    }

    @Test("integers keep all their bits", arguments: [0, -1, Int.max, Int.min])
    func integers(_ number: Int) async throws {
        let database = try Notes.database(in: folder)
        let read = try await database.read { try $0.query("select ?", number, as: Int.self) }
        #expect(read == [number])
    }

    @Test("a column of another type is an error, not a conversion")
    func mismatch() async throws {
        let database = try Notes.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.read { try $0.query("select 1, '7'", as: Int.self, Int.self) }
        }
        #expect(error?.kind == .corrupt)
        #expect(error?.reason == "column 1 is not of the type Int")
    }

    @Test("rows are passed one at a time until the body returns false, and the same query can run again")
    func rows() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { for text in ["가", "", "c", "d"] { try $0.insertNote(text, bytes: [7]) } }
        for enough in [2, 4, 9] {
            let read = try await database.read { connection in
                var texts: [[UInt8]] = []
                try connection.forEachRow(
                    of: "select text, bytes from note where text <> ? order by number", "x"
                ) { row throws(DatabaseError) in
                    texts.append(try row.bytes(0))
                    #expect(try row.bytes(1) == [7])
                    return texts.count < enough
                }
                return texts
            }
            #expect(read == [Array("가".utf8), [], Array("c".utf8), Array("d".utf8)].prefix(enough).map(\.self))
        }
    }

    @Test("a column that is neither text nor bytes is an error when its bytes are read", arguments: [1, nil])
    func noBytes(_ value: Int?) async throws {
        let database = try Notes.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.read { connection in
                try connection.forEachRow(of: "select ?", value) { row throws(DatabaseError) in
                    try row.bytes(0).isEmpty
                }
            }
        }
        #expect(error?.kind == .corrupt)
        #expect(error?.reason == "column 0 is neither text nor bytes")
    }

    @Test("a violated constraint is a constraint error, and its message contains no values")
    func constraint() async throws {
        let database = try Notes.database(in: folder)
        try await database.write { try $0.insertNote("secret") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.insertNote("secret") }
        }
        #expect(error?.kind == .constraint)
        #expect(error?.isRetryable == false)
        #expect(error?.description.contains("note.text") == true)
        #expect(error?.description.contains("secret") == false)
    }
}
