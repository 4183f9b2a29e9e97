import Concurrency
import Glibc
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Health

private let schema = Schema("test", version: 1, HealthCheck.table)
private let silent = Logger(label: "test") { _ in }

@Suite(.patience) struct DatabaseCheckTests {
    @Test("a database that works passes both checks, and each check writes another value")
    func healthy() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: schema)
        #expect(await HealthCheck.databaseRead(database, logger: silent, clock: ManualClock()).failureReason() == nil)
        let clock = ManualClock()
        let check = HealthCheck.databaseWrite(database, logger: silent, clock: clock)
        for count in 0..<3 {
            // However many ask, it is written once a second.
            for _ in 0..<10 { #expect(await check.failureReason() == nil) }
            clock.advance(by: .seconds(1))
            let written = try await database.read { try $0.query("select count from health_probe", as: Int.self) }
            #expect(written == [count])
        }
        await database.close()
    }

    @Test("a closed database fails both checks")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: schema)
        await database.close()
        for check in [HealthCheck.databaseRead, HealthCheck.databaseWrite] {
            #expect(await check(database, silent, ManualClock()).failureReason() == "database: it is closed")
        }
    }

    @Test("a full disk fails the write check, until there is room again")
    func full() async {
        // In a process of its own, because the limit on file sizes is the process's.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = try Database(path: folder.file("test.db"), schema: schema)
            let clock = ManualClock()
            let check = HealthCheck.databaseWrite(database, logger: silent, clock: clock)
            #expect(await check.failureReason() == nil)
            clock.advance(by: .seconds(1))
            signal(SIGXFSZ, SIG_IGN)
            limitFileSize(to: 1)
            #expect(await check.failureReason()?.hasPrefix("database: its disk ") == true)
            let reading = HealthCheck.databaseRead(database, logger: silent, clock: ManualClock())
            #expect(await reading.failureReason() == nil)
            limitFileSize(to: rlim_t.max)
            clock.advance(by: .seconds(1))
            #expect(await check.failureReason() == nil)
            await database.close()
        }
    }

    @Test("what a server says of its files is in the log, and not on the page")
    func serversWords() async throws {
        let server = DatabaseServer(address: try await PostgreSQLServer.shared().address(), namespace: "health")
        let database = try Database(.server(server), schema: schema)
        try await database.write { connection in
            try connection.execute(
                """
                create function fail() returns trigger language plpgsql as $$
                    begin raise 'could not extend file "base/5/16384"' using errcode = 'disk_full'; end
                $$
                """)
            try connection.execute("create trigger fail before insert on health_probe execute function fail()")
        }
        let lines = Locked("")
        let logger = Logger(label: "test") { line in lines.withLock { $0 += String(decoding: line, as: UTF8.self) } }
        let check = HealthCheck.databaseWrite(database, logger: logger, clock: ManualClock())
        #expect(await check.failureReason() == "database: its disk is full")
        #expect(lines.withLock { $0 }.contains("base/5/16384"))
        await database.close()
    }

    @Test("the size of a database includes its write-ahead log")
    func size() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: schema)
        let metrics = Metrics()
        metrics.addDatabase(database, at: .file(folder.file("test.db")))
        let before = try #require(try Exposition(await metrics.text())["marquee_database_size_bytes"])
        #expect(before > 0)
        try await database.write { connection in
            try connection.execute("insert into health_probe (id, count) values (1, 0)")
        }
        #expect(try #require(try Exposition(await metrics.text())["marquee_database_size_bytes"]) > before)
        await database.close()
    }
}

/// Sets how many bytes a file may have; leaves the hard limit, so that this can be undone.
private func limitFileSize(to length: rlim_t) {
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(length, limit.rlim_max)
    #expect(setrlimit(resource, &limit) == 0)
}
