import Glibc
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Health

@Suite(.patience) struct DatabaseCheckTests {
    @Test("a database that works passes both checks, and each check writes another value")
    func healthy() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: Schema("test", version: 1, HealthCheck.table))
        #expect(await HealthCheck.databaseRead(database, clock: ManualClock()).failureReason() == nil)
        let clock = ManualClock()
        let check = HealthCheck.databaseWrite(database, clock: clock)
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
        let database = try Database(path: folder.file("test.db"), schema: Schema("test", version: 1, HealthCheck.table))
        await database.close()
        for check in [HealthCheck.databaseRead, HealthCheck.databaseWrite] {
            #expect(await check(database, ManualClock()).failureReason() == "database: the database is closed")
        }
    }

    @Test("a full disk fails the write check, until there is room again")
    func full() async {
        // In a process of its own, because the limit on file sizes is the process's.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = try Database(
                path: folder.file("test.db"), schema: Schema("test", version: 1, HealthCheck.table))
            let clock = ManualClock()
            let check = HealthCheck.databaseWrite(database, clock: clock)
            #expect(await check.failureReason() == nil)
            clock.advance(by: .seconds(1))
            signal(SIGXFSZ, SIG_IGN)
            limitFileSize(to: 1)
            #expect(await check.failureReason()?.hasPrefix("database: ") == true)
            #expect(await HealthCheck.databaseRead(database, clock: ManualClock()).failureReason() == nil)
            limitFileSize(to: rlim_t.max)
            clock.advance(by: .seconds(1))
            #expect(await check.failureReason() == nil)
            await database.close()
        }
    }

    @Test("the size of a database includes its write-ahead log")
    func size() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: Schema("test", version: 1, HealthCheck.table))
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
