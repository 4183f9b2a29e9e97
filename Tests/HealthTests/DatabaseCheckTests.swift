import Glibc
import Operations
import SQLite
import TestSupport
import Testing

@testable import Health

@Suite(.timeLimit(.minutes(5))) struct DatabaseCheckTests {
    @Test("a database that works is alive and ready, and each write is a new one")
    func well() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: Schema(HealthCheck.schema))
        #expect(await HealthCheck.answers(database).reason() == nil)
        for count in 0..<3 {
            #expect(await HealthCheck.writes(to: database).reason() == nil)
            let written = try await database.read { try $0.query("select count from health_probe", as: Int.self) }
            #expect(written == [count])
        }
        await database.close()
    }

    @Test("a database that is closed is neither")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let database = try Database(path: folder.file("test.db"), schema: Schema(HealthCheck.schema))
        await database.close()
        #expect(await HealthCheck.answers(database).reason() == "database: the database is closed")
        #expect(await HealthCheck.writes(to: database).reason() == "database: the database is closed")
    }

    @Test("a disk that takes no more is noticed, and noticed to be well again")
    func full() async {
        // In a process of its own, whose files may not grow for a while.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let database = try Database(path: folder.file("test.db"), schema: Schema(HealthCheck.schema))
            let check = HealthCheck.writes(to: database)
            #expect(await check.reason() == nil)
            signal(SIGXFSZ, SIG_IGN)
            limitFiles(to: 1)
            #expect(await check.reason()?.hasPrefix("database: ") == true)
            #expect(await HealthCheck.answers(database).reason() == nil)
            limitFiles(to: rlim_t.max)
            #expect(await check.reason() == nil)
            await database.close()
        }
    }

    @Test("the size of a database is that of its file and its write-ahead log")
    func size() async throws {
        let folder = try TemporaryFolder()
        let metrics = Metrics()
        metrics.addDatabase(at: folder.file("test.db"))
        #expect(try Exposition(await metrics.text())["marquee_database_size_bytes"] == nil)
        let database = try Database(path: folder.file("test.db"), schema: Schema(HealthCheck.schema))
        let before = try #require(try Exposition(await metrics.text())["marquee_database_size_bytes"])
        #expect(before > 0)
        try await database.write { connection in
            try connection.execute("insert into health_probe (only, count) values (1, 0)")
        }
        #expect(try #require(try Exposition(await metrics.text())["marquee_database_size_bytes"]) > before)
        await database.close()
    }
}

/// Sets how long a file may become; the hard limit stays, so that it can be taken back.
private func limitFiles(to length: rlim_t) {
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(length, limit.rlim_max)
    #expect(setrlimit(resource, &limit) == 0)
}
