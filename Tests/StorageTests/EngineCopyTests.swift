import Foundation
import TestSupport
import Testing

@testable import Storage

/// Copies from one engine to the other.
@Suite(.patience) struct EngineCopyTests {
    /// Tables with each form of key, and each type of value.
    private static let schema = Schema(
        "many", version: 1,
        """
        \(Notes.table)
        create table pair (first text not null, second integer not null, text text, primary key (second, first))
            strict, without rowid;
        create table epoch (epoch text not null) strict;
        insert into epoch values ('new');
        """)

    let folder: TemporaryFolder
    let there: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        there = try TemporaryFolder()
    }

    private func open(_ location: DatabaseLocation) throws(DatabaseError) -> Database {
        try Database(location, schema: Self.schema)
    }

    private func makeCopy(
        _ source: DatabaseLocation, _ target: DatabaseLocation
    ) throws(DatabaseError) -> DatabaseCopy? {
        try DatabaseCopy(from: source, to: target, schema: Self.schema)
    }

    private func copy(from source: DatabaseLocation, to target: DatabaseLocation) async throws -> Int {
        let copy = try #require(try await whenFree { try makeCopy(source, target) })
        let rows = try copy.run()
        try copy.finish()
        return rows
    }

    private func refusal(_ source: DatabaseLocation, _ target: DatabaseLocation) -> DatabaseError.Kind? {
        do throws(DatabaseError) {
            _ = try makeCopy(source, target)
            return nil
        } catch {
            return error.kind
        }
    }

    /// Fills a database with rows: some hundred in one table.
    private func fill(_ location: DatabaseLocation) async throws {
        let database = try open(location)
        try await database.write { connection in
            for number in 1...250 {
                try connection.execute(
                    "insert into note values (?, ?, ?)", number * 3, "노트 \(number)",
                    number % 7 == 0 ? nil : (0..<number).map { UInt8($0 % 256) })
                try connection.execute(
                    "insert into pair values (?, ?, ?)", "\(number % 5)", number / 5,
                    number % 2 == 0 ? nil : "it's \"\(number)\" ?")
            }
            try connection.execute("insert into note values (9000000000000000000, '', ?)", [UInt8]())
            try connection.execute("update epoch set epoch = 'old'")
        }
        await database.close()
    }

    /// Returns all rows of a database.
    private func rows(_ location: DatabaseLocation) throws -> [[StoredValue]] {
        try Database.inspect(location, schema: Self.schema) { connection in
            var rows: [[StoredValue]] = []
            for (number, text, bytes) in try connection.query(
                "select number, text, bytes from note order by number", as: Int.self, String.self, [UInt8]?.self)
            { rows.append([number.stored, text.stored, bytes.stored]) }
            for (first, second, text) in try connection.query(
                "select first, second, text from pair order by second, first", as: String.self, Int.self, String?.self)
            { rows.append([first.stored, second.stored, text.stored]) }
            return rows + [try connection.query("select epoch from epoch", as: String.self).map(\.stored)]
        }
    }

    @Test("a database that is copied to PostgreSQL and back has the same rows, and goes on with the next number")
    func roundTrip() async throws {
        let (file, back) = (DatabaseLocation.file(folder.file("a.db")), DatabaseLocation.file(there.file("b.db")))
        let server = DatabaseLocation.server(try await Engine.server(of: folder))
        try await fill(file)
        #expect(try await copy(from: file, to: server) == 502)
        #expect(try await copy(from: server, to: back) == 502)
        let before = try rows(file)
        #expect(before.count == 502)
        #expect(try rows(server) == before)
        #expect(try rows(back) == before)
        for location in [server, back] {
            let database = try await whenFree { try open(location) }
            let next = try await database.write { connection in
                try connection.execute("delete from note where number > 1000000")
                try connection.insertNote("next")
                return try connection.query("select number from note where text = 'next'", as: Int.self)
            }
            #expect(next == (location == server ? [9_000_000_000_000_000_001] : [751]))
            await database.close()
        }
        #expect(!there.contains("b.db-incoming"))
    }

    @Test("a text with the character 0, which PostgreSQL cannot have, keeps the rest")
    func zero() async throws {
        let file = DatabaseLocation.file(folder.file("a.db"))
        let database = try open(file)
        try await database.write { try $0.insertNote("a\0b") }
        await database.close()
        let server = DatabaseLocation.server(try await Engine.server(of: folder))
        _ = try await copy(from: file, to: server)
        #expect(try rows(server).first?[1] == .text("a\u{FFFD}b"))
    }

    @Test("a copy that is not finished is none, and can be made again", arguments: Engine.allCases)
    func unfinished(to engine: Engine) async throws {
        let other: Engine = engine == .sqlite ? .postgreSQL : .sqlite
        let (source, target) = (try await other.location(in: folder), try await engine.location(in: there))
        try await fill(source)
        do {
            let died = try #require(try await whenFree { try makeCopy(source, target) })
            #expect(try died.run() == 502)
        }
        #expect(throws: DatabaseError.self) { try rows(target) }
        #expect(try await copy(from: source, to: target) == 502)
        #expect(try rows(target) == rows(source))
    }

    @Test("what a process has open, and a target with tables, are refused and left alone", arguments: Engine.allCases)
    func refusals(of engine: Engine) async throws {
        let other: Engine = engine == .sqlite ? .postgreSQL : .sqlite
        let (source, target) = (try await engine.location(in: folder), try await other.location(in: there))
        #expect(try makeCopy(source, target) == nil, "there is nothing to copy")
        try await fill(source)
        let writing = try await whenFree { try open(source) }
        #expect(refusal(source, target) == .inUse)
        await writing.close()
        let others = try open(target)
        #expect(refusal(source, target) == .inUse)
        await others.close()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await whenFree { try makeCopy(source, target) }
        }
        #expect(error?.kind == .exists)
        #expect(try rows(target).count == 1)
        // While a copy runs, no process can write either.
        let third = try TemporaryFolder()
        let location = try await other.location(in: third)
        let copy = try #require(try await whenFree { try makeCopy(source, location) })
        #expect(throws: DatabaseError.self) { try open(source) }
        #expect(try copy.run() == 502)
    }
}
