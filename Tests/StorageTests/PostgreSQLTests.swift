import Concurrency
import Foundation
import TestSupport
import Testing

@testable import Storage

/// What only a server can do to us.
@Suite struct PostgreSQLTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func error(opening location: DatabaseLocation) -> DatabaseError? {
        do throws(DatabaseError) {
            _ = try Database(location, schema: Notes.schema)
            return nil
        } catch {
            return error
        }
    }

    private func server(_ address: String, _ namespace: String = "marquee") -> DatabaseLocation {
        .server(DatabaseServer(address: address, namespace: namespace))
    }

    // MARK: - Opening

    @Test("only one process writes at a time; the next one may when that has closed its database", .patience)
    func oneWriter() async throws {
        let database = try await Engine.postgreSQL.database(in: folder)
        let location = try await Engine.postgreSQL.location(in: folder)
        #expect(error(opening: location)?.kind == .inUse)
        #expect(try Database.inspect(location, schema: Notes.schema) { try $0.notes() } == [])
        await database.close()
        // The server ends a session some time after its client has left.
        try await waitUntil("the database can be opened") { error(opening: location) == nil }
    }

    @Test("a server that does not run can be tried again; its address is named without user and password")
    func unreachable() {
        let location = server("postgresql://me:hush@127.0.0.1:1/charts?connect_timeout=2")
        let error = error(opening: location)
        #expect(error?.kind == .unreachable)
        #expect(error?.isRetryable == true)
        #expect(error?.description.contains("postgresql://127.0.0.1:1/charts: ") == true)
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "each host of a database is named with its port",
        arguments: [
            ("postgresql://me@a,b:5433/charts", "postgresql://a,b:5433/charts"),
            ("host=a,b port=5432,5433 dbname=charts", "postgresql://a:5432,b:5433/charts"),
            ("host=a,b port=5433 dbname=charts", "postgresql://a:5433,b:5433/charts"),
        ])
    func names(address: String, name: String) {
        #expect(server(address).name == name)
    }

    @Test("a database that does not exist, and a user without it, are the operator's mistakes", .patience)
    func refused() async throws {
        let address = try await PostgreSQLServer.shared().address(of: "nowhere")
        let error = error(opening: server(address))
        #expect(error?.kind == .refused)
        #expect(error?.isRetryable == false)
        #expect(error?.reason.contains("\"nowhere\" does not exist") == true)
    }

    @Test(
        "an address that cannot be read is refused without a byte of its password",
        arguments: ["me:hu/sh@localhost/charts", "me:hu@sh@localhost/charts", "me:hu%sh@localhost/charts"])
    func invalidAddress(_ address: String) {
        let error = error(opening: server("postgresql://\(address)"))
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("hu") == false && error?.description.contains("sh@") == false)
        #expect(error?.description.contains("%40") == true)
    }

    @Test("tables of another kind, of another program and of a newer version are left as they are", .patience)
    func foreign() async throws {
        let place = try await Engine.server(of: folder)
        let database = try await Engine.postgreSQL.database(in: folder)
        await database.close()
        let session = try PostgreSQLSession(place)
        try session.run("update marquee_schema set version = 7")
        #expect(error(opening: .server(place))?.kind == .newerSchema)
        try session.run("update marquee_schema set tag = 'mail'")
        #expect(error(opening: .server(place))?.kind == .foreign)
        try session.run("drop table marquee_schema")
        #expect(error(opening: .server(place))?.kind == .foreign)
    }

    // MARK: - Losing the connection

    @Test("a connection that was lost between two writes is made again, and no write is lost or doubled", .patience)
    func reconnects() async throws {
        let place = try await Engine.server(of: folder)
        let database = try await Engine.postgreSQL.database(in: folder)
        try await database.write { try $0.insertNote("before") }
        _ = try await database.notes()
        try PostgreSQLSession(place).endOthers()
        try await database.write { try $0.insertNote("after") }
        #expect(try await database.notes() == ["before", "after"])
    }

    @Test(
        "a connection that is lost within a write undoes it, and its caller may try again", .patience,
        arguments: [1, 3_000])
    func lostWithin(runs: Int) async throws {
        let place = try await Engine.server(of: folder)
        let database = try await Engine.postgreSQL.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { connection in
                try connection.insertNote("lost")
                try PostgreSQLSession(place).endOthers()
                let notes = (1...runs).map { ("never \($0)", [UInt8](repeating: 1, count: 500)) }
                try connection.executeEach("insert into note (text, bytes) values (?, ?)", notes)
            }
        }
        #expect(error?.kind == .unreachable && error?.isRetryable == true)
        try await database.write { try $0.insertNote("after") }
        #expect(try await database.notes() == ["after"])
    }

    @Test("a server that is silent counts as lost, and is used again", .patience)
    func silent() async throws {
        let database = try await Engine.postgreSQL.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.execute("select pg_sleep(3600)") }
        }
        #expect(error?.kind == .unreachable && error?.reason.hasPrefix("no answer within ") == true)
        try await waitUntil("the server is used again") {
            (try? await database.write { try $0.insertNote("after") }) != nil
        }
        #expect(try await database.notes() == ["after"])
    }

    @Test("a process whose place was taken writes nothing more", .patience)
    func fenced() async throws {
        let place = try await Engine.server(of: folder)
        let first = try await Engine.postgreSQL.database(in: folder)
        try await first.write { try $0.insertNote("first") }
        try PostgreSQLSession(place).endOthers()  // as if it had been cut off
        let second = try await Engine.postgreSQL.database(in: folder)
        try await second.write { try $0.insertNote("second") }
        await second.close()
        let error = await #expect(throws: DatabaseError.self) {
            try await first.write { try $0.insertNote("never") }
        }
        #expect(error?.reason == "another process has taken this one's place")
        #expect(try await first.notes() == ["first", "second"])
        // And it does not keep others from writing.
        let third = try await whenFree { try await Engine.postgreSQL.database(in: folder) }
        try await third.write { try $0.insertNote("third") }
    }

    // MARK: - Several writers

    private func shared() async throws -> Database {
        try Database(await Engine.postgreSQL.location(in: folder), schema: Notes.schema, isShared: true)
    }

    @Test("several processes write in turn, and each sees what the others have committed", .patience)
    func severalWriters() async throws {
        let databases = [try await shared(), try await shared(), try await shared()]
        try await withThrowingTaskGroup { tasks in
            for (number, database) in databases.enumerated() {
                tasks.addTask {
                    for _ in 0..<20 {
                        try await database.write { connection in
                            // A number is used twice if two count at once.
                            try connection.insertNote("\(connection.notes().count) of \(number)")
                        }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let notes = try await databases[0].notes()
        #expect(notes.map { $0.split(separator: " ")[0] } == (0..<60).map { "\($0)" })
        #expect(Set(notes.map(\.last)) == ["0", "1", "2"])
    }

    @Test("a commit is told to all processes", .patience)
    func notification() async throws {
        let (first, second) = (try await shared(), try await shared())
        let calls = Locked(0)
        second.onCommit { calls.withLock { $0 += 1 } }
        // Once when it begins to listen.
        try await waitUntil("it listens") { calls.withLock { $0 } == 1 }
        try await first.write { try $0.insertNote("news") }
        try await waitUntil("it is told") { calls.withLock { $0 } == 2 }
        try await PostgreSQLSession(Engine.server(of: folder)).endListeners()
        try await waitUntil("it listens again") { calls.withLock { $0 } == 3 }
    }

    @Test("one that writes alone refuses all others, and they refuse it", .patience)
    func aloneOrShared() async throws {
        let location = try await Engine.postgreSQL.location(in: folder)
        let several = try await shared()
        #expect(error(opening: location)?.kind == .inUse)
        await several.close()
        let alone = try await whenFree { try Database(location, schema: Notes.schema) }
        let refused = await #expect(throws: DatabaseError.self) { try await shared() }
        #expect(refused?.kind == .inUse)
        await alone.close()
    }

    @Test("a process that has frozen in a write lets the others go on after five seconds, and begins anew", .patience)
    func frozen() async throws {
        let (first, second) = (try await shared(), try await shared())
        let (started, written) = (Locked(false), Locked(false))
        async let other: Void = {
            try await waitUntil("the first one is in its write") { started.withLock { $0 } }
            try await second.write { try $0.insertNote("second") }
            written.withLock { $0 = true }
        }()
        try await first.write { connection in
            try connection.insertNote("first")
            started.withLock { $0 = true }
            while !written.withLock({ $0 }) { usleep(10_000) }
            try connection.insertNote("first, too")
        }
        try await other
        #expect(try await second.notes() == ["second", "first", "first, too"])
    }

    @Test("one that writes alone and has been silent for a while is replaced, and writes nothing more", .patience)
    func replaced() async throws {
        let place = try await Engine.server(of: folder)
        let first = try await Engine.postgreSQL.database(in: folder)
        try PostgreSQLSession(place).run("update marquee_writer set written_at = now() - interval '16 seconds'")
        let second = try await Engine.postgreSQL.database(in: folder)
        let error = await #expect(throws: DatabaseError.self) { try await first.write { try $0.insertNote("never") } }
        #expect(error?.kind == .inUse)
        try await second.write { try $0.insertNote("second") }
        #expect(try await second.notes() == ["second"])
    }

    @Test("a statement that fails at the beginning of a write leaves nothing behind", .patience)
    func failedBegin() async throws {
        let place = try await Engine.server(of: folder)
        let database = try await Engine.postgreSQL.database(in: folder)
        let session = try PostgreSQLSession(place)
        try session.run("alter table marquee_writer rename column number to away")
        await #expect(throws: DatabaseError.self) { try await database.write { try $0.insertNote("never") } }
        try session.run("alter table marquee_writer rename column away to number")
        try await database.write { try $0.insertNote("after") }
        #expect(try await database.notes() == ["after"])
    }

    @Test("a commit whose answer is lost is found to be made, and its caller is told so", .patience)
    func lostAnswer() async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try await Counterpart("postgresql_proxy.py", [server.socket, folder.file("proxy")])
        let address = "postgresql://marquee@/postgres?host=\(folder.file("proxy"))"
        let place = try await Engine.server(of: folder)
        let database = try Database(
            .server(DatabaseServer(address: address, namespace: place.namespace)), schema: Notes.schema)
        try Data().write(to: URL(filePath: folder.file("proxy/cut")))
        let actions = Locked(0)
        try await database.write { connection in
            try connection.insertNote("made")
            connection.afterCommit { actions.withLock { $0 += 1 } }
        }
        #expect(await proxy.line() == "cut")
        #expect(actions.withLock { $0 } == 1)
        #expect(try await database.notes() == ["made"])
    }
}

extension PostgreSQLSession {
    /// Ends the sessions that wait for commits to this one's schema.
    fileprivate func endListeners() throws(DatabaseError) {
        try run(
            """
            select pg_terminate_backend(pid, 10000) from pg_stat_activity
            where query = 'listen marquee_' || current_schema()
            """)
    }

    /// Ends all other sessions that use this one's schema, as a failing server or network does.
    fileprivate func endOthers() throws(DatabaseError) {
        try run(
            """
            select pg_terminate_backend(pid, 10000) from pg_locks
            where locktype = 'advisory' and objid = 'marquee_schema'::regclass::oid and pid <> pg_backend_pid()
            """)
    }
}
