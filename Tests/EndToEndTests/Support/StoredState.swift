import Contract
import EventStore
import Foundation
import Notifier
import Storage
import TestSupport
import Testing

/// Where worker and notifier keep their state, and what others read there: in files of SQLite, or with
/// `MARQUEE_TEST_DATABASE=postgresql` in a database of the tests' server.
struct StoredState: Sendable {
    /// Whether tests that name no database have one on the server.
    static let isOnServer: Bool = {
        let engine = ProcessInfo.processInfo.environment["MARQUEE_TEST_DATABASE"] ?? ""
        precondition(["", "postgresql"].contains(engine), "MARQUEE_TEST_DATABASE is \(engine)")
        return !engine.isEmpty
    }()

    /// The settings `MARQUEE_DATA` and, if there is one, `MARQUEE_DATABASE`.
    let settings: [String: String]

    /// The state of processes with these settings.
    init(of settings: [String: String]) {
        self.settings = settings.filter { ["MARQUEE_DATA", "MARQUEE_DATABASE"].contains($0.key) }
    }

    /// An empty state.
    ///
    /// - Parameter folder: The folder of the processes' files.
    init(in folder: String) async throws {
        var settings = ["MARQUEE_DATA": folder]
        if Self.isOnServer { settings["MARQUEE_DATABASE"] = try await Self.makeDatabase() }
        self.init(of: settings)
    }

    /// Makes an empty database on the tests' server, which ends with the tests, and returns its address.
    static func makeDatabase() async throws -> String {
        let server = try await PostgreSQLServer.shared()
        let name = UUID().uuidString
        _ = try await psql(server.address(), "create database \"\(name)\"")
        return server.address(of: name)
    }

    /// The address of the database on a server; nil for files.
    private var address: String? { settings["MARQUEE_DATABASE"] }

    /// The database of a process, as `marquee replay` takes it.
    func database(of role: ProcessHarness.Role) -> String {
        address ?? "\(settings["MARQUEE_DATA", default: ""])/\(role).db"
    }

    /// The database of a process.
    func location(of role: ProcessHarness.Role) -> DatabaseLocation {
        address.map { .server(DatabaseServer(address: $0, namespace: role.rawValue)) } ?? .file(database(of: role))
    }

    // MARK: - By other programs

    /// Returns the rows of a query as objects, read by Python's SQLite or by PostgreSQL's own client.
    func rows(_ query: String, of role: ProcessHarness.Role) async throws -> [JSON] {
        let output: [String]
        if let address {
            let query = query.trimmingCharacters(in: ["\n", ";"])
            output = try await Self.psql(
                address, "select coalesce(json_agg(answer), '[]') from (\(query)) as answer", schema: role.rawValue)
        } else {
            let script = """
                import json, sqlite3, sys
                cursor = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(sys.argv[2])
                print(json.dumps([dict(zip([column[0] for column in cursor.description], row)) for row in cursor]))
                """
            output = try await Self.run(ProcessHarness.python, ["-c", script, database(of: role), query])
        }
        return try JSON(output.joined()).list
    }

    /// Changes what a process has stored.
    func change(_ statement: String, of role: ProcessHarness.Role) async throws {
        if let address {
            _ = try await Self.psql(address, statement, schema: role.rawValue)
        } else {
            let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()"
            _ = try await Self.run(ProcessHarness.python, ["-c", script, database(of: role), statement])
        }
    }

    /// Returns the topics of all events in a log, in the order of writing.
    func topics(of role: ProcessHarness.Role) async throws -> [String] {
        try await rows("select topic from event order by number", of: role).compactMap { $0["topic"].text }
    }

    /// Writes all that is on the server into a file, for who looks through the files.
    func dump(to file: String) async throws {
        guard let address else { return }
        _ = try await Self.run(
            "/usr/bin/pg_dump", ["--dbname", address, "--file", file],
            environment: ["PGOPTIONS": "-c bytea_output=escape"])
    }

    private static func psql(_ address: String, _ statement: String, schema: String = "public") async throws -> [String]
    {
        try await run(
            "/usr/bin/psql", ["--dbname", address, "-qAt", "-v", "ON_ERROR_STOP=1", "--command", statement],
            environment: ["PGOPTIONS": "-c search_path=\(schema)"])
    }

    private static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> [String] {
        let ending = try await Program.run(path, arguments, environment: environment)
        try #require(ending.status == 0, "\(ending.errors)")
        return ending.output
    }

    // MARK: - By this program

    /// Returns the alerts in the notifier's log as `marquee replay` prints alerts, in the log's order.
    func alertLines() throws -> [String] {
        try NotifierProcess.log(in: location(of: .notifier)).read { log, connection in
            try log.events(of: .alert, after: .zero, limit: 50_000, in: connection).events.map { event in
                let body = String(decoding: event.body, as: UTF8.self)
                let data = try #require(body.range(of: #""data":"#)).upperBound
                let id = try Contract.Event(topic: event.topic, body: event.body).id
                return #"{"data":\#(body[data...].dropLast()),"id":"\#(id)"}"#
            }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of files of SQLite as such: backups, damage, permissions.
    static var onFilesOnly: Self { .disabled(if: StoredState.isOnServer, "it is about files of SQLite") }
}
