import Foundation
import Storage
import TestSupport
import Testing

/// The engines, each of which does what the others do.
enum Engine: CaseIterable {
    case sqlite
    case postgreSQL

    /// Where the database of a folder is.
    func location(in folder: TemporaryFolder) async throws -> DatabaseLocation {
        switch self {
        case .sqlite: .file(folder.file("notes.db"))
        case .postgreSQL: .server(try await Self.server(of: folder))
        }
    }

    /// The schema of a folder in the server that the tests share.
    static func server(of folder: TemporaryFolder) async throws -> DatabaseServer {
        let namespace = "n" + folder.path.filter { $0.isLetter || $0.isNumber }.lowercased().suffix(32)
        return DatabaseServer(address: try await PostgreSQLServer.shared().address(), namespace: namespace)
    }

    /// Opens the database of a folder.
    func database(in folder: TemporaryFolder, schema: Schema = Notes.schema) async throws -> Database {
        try Database(await location(in: folder), schema: schema)
    }
}

/// Opens what a process has just closed: the server ends a session, and its lock, some time after its client has left.
func whenFree<Value>(_ open: () async throws -> Value) async throws -> Value {
    let opened = try await waitUntil("nobody has the database open") { () async throws -> Value? in
        do {
            return try await open()
        } catch let error as DatabaseError where error.kind == .inUse {
            return nil
        }
    } is: {
        $0 != nil
    }
    return try #require(opened)
}

/// The table that the tests write to.
enum Notes {
    static let table = "create table note (number integer primary key, text text not null unique, bytes blob) strict;"
    static let schema = Schema("note", version: 1, table)

    static func database(in folder: TemporaryFolder) throws(DatabaseError) -> Database {
        try Database(path: folder.file("notes.db"), schema: schema)
    }
}

extension Connection {
    func insertNote(_ text: String, bytes: [UInt8]? = nil) throws(DatabaseError) {
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

extension TemporaryFolder {
    func copy(_ name: String, to other: TemporaryFolder) throws {
        try FileManager.default.copyItem(atPath: file(name), toPath: other.file(name))
    }

    func copy(_ name: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: file(name), toPath: file(other))
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(filePath: file(name)))
    }

    func data(of name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: file(name)))
    }

    func contains(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name))
    }
}
