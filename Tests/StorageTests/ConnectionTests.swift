import Storage
import TestSupport
import Testing

@Suite struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "text is read as it was written",
        arguments: Engine.allCases, ["", "파묘", "it's \"quoted\"", "'); drop table note; --", "? $1 %s", "🎬"])
    func text(_ engine: Engine, _ text: String) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.insertNote(text) }
        #expect(try await database.notes() == [text])
    }

    @Test(
        "bytes are read as they were written, empty bytes are not null, and null is nil",
        arguments: Engine.allCases, [nil, [], [0, 255]])
    func bytes(_ engine: Engine, _ bytes: [UInt8]?) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.insertNote("text", bytes: bytes) }
        let read = try await database.read { try $0.query("select bytes from note", as: [UInt8]?.self) }
        #expect(read == [bytes])
    }

    @Test("integers keep all their bits", arguments: Engine.allCases, [0, -1, 1 << 40, Int.max, Int.min])
    func integers(_ engine: Engine, _ number: Int) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.execute("insert into note (number, text) values (?, 'n')", number) }
        let read = try await database.read { connection in
            try connection.query("select number from note where number >= ?", number, as: Int.self)
        }
        #expect(read == [number])
    }

    @Test("a text with the character 0 is kept, by PostgreSQL with another in its place", arguments: Engine.allCases)
    func zero(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.insertNote("nul \0 inside") }
        #expect(try await database.notes() == ["nul \(engine == .sqlite ? "\0" : "\u{FFFD}") inside"])
    }

    @Test("texts are compared byte by byte, as topics must be", arguments: Engine.allCases)
    func order(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let texts = ["a.b", "a-b", "B", "a/b", "ab", "a.", "가", "_"]
        try await database.write { for text in texts { try $0.insertNote(text) } }
        let read = try await database.read { connection in
            try connection.query("select text from note where text >= ? order by text", "B", as: String.self)
        }
        #expect(read == ["B", "_", "a-b", "a.", "a.b", "a/b", "ab", "가"])
    }

    @Test(
        "many runs of a statement are made in their order, and each tells what it has changed",
        arguments: Engine.allCases)
    func runs(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let texts = (0..<3_000).map { "\($0 % 2_000)" }
        let changed = try await database.write { connection in
            try connection.executeEach(
                "insert into note (text, bytes) values (?, ?) on conflict do nothing",
                texts.map { ($0, [UInt8](repeating: 1, count: 500)) })
        }
        #expect(changed == Array(repeating: 1, count: 2_000) + Array(repeating: 0, count: 1_000))
        #expect(try await database.notes() == Array(texts.prefix(2_000)))
    }

    @Test("the first error of many runs is told, undoes the write, and leaves the others", arguments: Engine.allCases)
    func failingRuns(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.insertNote("first") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { connection in
                let notes = ["new", "first", "newer"].map { ($0, [UInt8]?.none) }
                try connection.executeEach("insert into note (text, bytes) values (?, ?)", notes)
            }
        }
        #expect(error?.kind == .constraint)
        try await database.write { try $0.insertNote("last") }
        #expect(try await database.notes() == ["first", "last"])
    }

    @Test("a column of another type is an error, not a conversion", arguments: Engine.allCases)
    func mismatch(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.read { try $0.query("select 1, '7'", as: Int.self, Int.self) }
        }
        #expect(error?.kind == .corrupt)
        #expect(error?.reason == "column 1 is not of the type Int")
    }

    @Test(
        "rows are passed one at a time until the body returns false, and the same query can run again, also within itself",
        arguments: Engine.allCases)
    func rows(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
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

    @Test(
        "a column that is neither text nor bytes is an error when its bytes are read", arguments: Engine.allCases,
        ["1", nil])
    func noBytes(_ engine: Engine, _ value: String?) async throws {
        let database = try await engine.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.read { connection in
                try connection.forEachRow(of: "select length(?)", value) { row throws(DatabaseError) in
                    try row.bytes(0).isEmpty
                }
            }
        }
        #expect(error?.kind == .corrupt)
        #expect(error?.reason == "column 0 is neither text nor bytes")
    }

    @Test("a violated constraint is a constraint error, and its message contains no values", arguments: Engine.allCases)
    func constraint(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        try await database.write { try $0.insertNote("secret") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.insertNote("secret") }
        }
        #expect(error?.kind == .constraint)
        #expect(error?.isRetryable == false)
        #expect(error?.description.contains(engine == .sqlite ? "note.text" : "note_text") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("more rows than a part has are all passed, each once", arguments: Engine.allCases)
    func manyRows(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let read = try await database.write { connection in
            for number in 1...250 { try connection.insertNote("\(number)") }
            var read: [String] = []
            try connection.forEachRow(of: "select text from note order by number") { row throws(DatabaseError) in
                read.append(try row.value(0))
                return try connection.query("select count(*) from note", as: Int.self) == [250]
            }
            return read
        }
        #expect(read == (1...250).map { "\($0)" })
    }

    @Test("the number of changed rows is that of the last change", arguments: Engine.allCases)
    func changedRows(_ engine: Engine) async throws {
        let database = try await engine.database(in: folder)
        let changed = try await database.write { connection in
            for text in ["a", "b"] { try connection.insertNote(text) }
            try connection.execute("update note set bytes = null where number > ?", 0)
            let updated = connection.changedRows
            try connection.execute("insert into note (text) values ('a') on conflict do nothing")
            return [updated, connection.changedRows]
        }
        #expect(changed == [2, 0])
    }
}
