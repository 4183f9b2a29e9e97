import SQLite
import TestSupport

/// The tables the tests write to.
enum Notes {
    static let component = Schema.Component(
        "notes",
        migrations: [
            "create table note (number integer primary key, text text not null unique, bytes blob) strict;"
        ])

    static func database(in folder: TemporaryFolder) throws(DatabaseError) -> Database {
        try Database(path: folder.file("notes.db"), schema: Schema(component))
    }
}

extension Connection {
    func note(_ text: String, bytes: [UInt8]? = nil) throws(DatabaseError) {
        try execute("insert into note (text, bytes) values (?, ?)", text, bytes)
    }

    func notes() throws(DatabaseError) -> [String] {
        try query("select text from note order by number", as: String.self)
    }
}

extension Database {
    func notes() async throws -> [String] {
        try await read { try $0.notes() }
    }
}
