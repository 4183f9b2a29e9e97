import Foundation
import TestSupport
import Testing

extension Failures {
    /// Worker and notifier with their state in PostgreSQL.
    @Suite struct PostgreSQLTests {
        @Test("the state is in the server, and killed processes go on with it", .patience)
        func state() async throws {
            let address = try await StoredState.makeDatabase()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": address]) { harness, client in
                var charts: [JSON] = []
                for day in 3...5 { charts.append(try await client.day("2024-06-0\(day)").events[0].data) }
                let alerts = try await waitUntil("alerts of the last day are decided") {
                    try await harness.state.topics(of: .notifier)
                } is: {
                    $0.contains { $0.hasSuffix("2024-06-05") }
                }
                for role in [ProcessHarness.Role.worker, .notifier] { try await harness.restart(role, by: SIGKILL) }
                _ = try await client.waitForHeartbeat(of: .worker)
                _ = try await client.day("2024-06-05")
                #expect(try await harness.state.topics(of: .worker).filter { $0.hasPrefix("ranking.") }.count == 3)
                #expect(try await harness.state.topics(of: .notifier) == alerts)
                // What people query has the figures of the events.
                let rows = try await harness.state.rows("select * from chart_line order by date, line", of: .worker)
                let lines = charts.flatMap { chart in chart["entries"].list.map { (chart["date"], $0) } }
                #expect(rows.count == lines.count)
                for (row, (date, line)) in zip(rows, lines) {
                    #expect(row["date"] == date && row["isNew"] == .number(line["isNew"] == .boolean(true) ? 1 : 0))
                    for name in ["movieCode", "title", "rank", "audience", "salesShare", "showings"] {
                        #expect(row[name] == line[name], "\(name)")
                    }
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: harness.data())
                #expect(!files.contains { $0.hasPrefix("worker.db") || $0.hasPrefix("notifier.db") })
                #expect(try await harness.lines("log")[0].hasPrefix("postgresql://"))
                #expect(
                    try await harness.lines("replay", "--from", address, "--as", address)
                        == harness.state.alertLines())
                for command in ["backup", "restore"] {
                    let refused = try await harness.marquee(command, harness.folder.file("backup.db"))
                    #expect(refused.status == 1 && refused.errors.joined().contains("pg_dump"), "\(refused)")
                }
            }
        }

        @Test(
            "a marquee moves to PostgreSQL and back, and its subscribers go on where they were", .patience, .onFilesOnly
        )
        func move() async throws {
            let server = try await PostgreSQLServer()
            let address = server.address()
            try await ProcessHarness.run { harness, client in
                _ = try await client.day("2024-06-03")
                let refused = try await harness.marquee("copy", "--to", address)
                #expect(refused.status == 1 && refused.errors.joined().contains("has it open for writing"))
                let back = harness.folder.file("back")
                var (epoch, days) = (nil as JSON?, 1)
                // Its database, the target of the copy, and the settings after it.
                for (from, target, settings) in [
                    ([:], address, ["MARQUEE_DATABASE": address]),
                    (["MARQUEE_DATABASE": address], back, ["MARQUEE_DATA": back]),
                ] {
                    try await harness.restart(.notifier, by: SIGTERM, changes: settings) {
                        try await harness.restart(.worker, by: SIGTERM, changes: settings) {
                            let copy = try await harness.marquee("copy", "--to", target, changes: from)
                            #expect(copy.status == 0, "\(copy.errors)")
                            #expect(copy.output.map { $0.prefix { $0 != ":" } } == ["worker", "notifier"])
                            #expect(copy.output.allSatisfy { $0.contains(" rows, same epoch: ") }, "\(copy.output)")
                            let again = try await harness.marquee("copy", "--to", target, changes: from)
                            #expect(again.status == 1 && again.errors.count == 1, "\(again.errors)")
                        }
                    }
                    _ = try await client.waitForHeartbeat(of: .worker)
                    #expect(try await client.day("2024-06-0\(days + 3)").isDone)
                    days += 1
                    let last = #"{"stream": "ranking", "after": "\#(Client.sequence(days - 1))"}"#
                    let answer = try await client.ask("replay", last)
                    let topics = answer.events.filter { $0.hasPrefix("ranking.") }
                    #expect(topics == ["ranking.day.all.2024-06-0\(days + 2)"])
                    #expect(epoch == nil || epoch == answer.body["epoch"])
                    epoch = answer.body["epoch"]
                }
                let missing = try await harness.marquee("copy", "--to", back)
                #expect(missing.status == 2 && missing.errors.joined().contains("set MARQUEE_DATABASE"))
            }
        }

        @Test("a check says where an acknowledged request could be lost", .patience)
        func check() async throws {
            let (folder, server) = (try TemporaryFolder(), try await PostgreSQLServer())
            let psql = ["--dbname", server.address(), "--quiet", "--command"]
            // Nothing else is there.
            let settings = [
                "LC_ALL": "C", "MARQUEE_DATA": folder.path, "MARQUEE_WORKER_HTTP": "127.0.0.1:0",
                "MARQUEE_BOARD_HTTP": "127.0.0.1:1", "MARQUEE_KOBIS_URL": "http://127.0.0.1:1",
                "MARQUEE_KOBIS_KEY": ProcessHarness.kobisKey, "MARQUEE_DATABASE": server.address(),
            ].merging(ProcessHarness.sockets(in: folder)) { $1 }
            func lines(_ address: String) async throws -> [String: String] {
                let settings = settings.merging(["MARQUEE_DATABASE": address]) { $1 }
                let done = try await Program.run(ProcessHarness.marquee, ["check"], environment: settings)
                let lines = done.output.compactMap { $0.wholeMatch(of: /(\S+) +database((?: [a-z]+)*)  +(\S.*)/) }
                return Dictionary(uniqueKeysWithValues: lines.map { ("\($0.2)", "\($0.1) \($0.3)") })
            }
            let worker = try Program(ProcessHarness.marquee, ["worker"], environment: settings)
            try #require(await worker.error(containing: "worker ready") != nil)
            worker.signal(SIGTERM)
            _ = await worker.ended()
            let good = try await lines(server.address())
            #expect(good[""]?.contains("ok postgresql://") == true && good[""]?.contains(", PostgreSQL ") == true)
            #expect(good[" encryption"]?.hasPrefix("ok none") == true)
            #expect(good[" rights"] == "ok present")
            #expect(good[" commits"] == "ok fsync on, synchronous_commit on")
            #expect(good[" standby"]?.hasSuffix("one machine's disk holds acknowledged requests") == true, "\(good)")
            for command in [
                "create role guest login", "alter system set fsync = off",
                "alter system set synchronous_standby_names = 'other'", "select pg_reload_conf()",
            ] {
                _ = try await Program.run("/usr/bin/psql", psql + [command])
            }
            try await waitUntil("the settings are read") {
                try await Program.run("/usr/bin/psql", psql + ["show synchronous_standby_names"])
            } is: {
                $0.output.contains(" other")
            }
            let bad = try await lines(server.address())
            #expect(bad[" commits"]?.hasPrefix("FAILED fsync off, ") == true, "\(bad)")
            #expect(bad[" standby"]?.hasSuffix("'other', none is connected") == true, "\(bad)")
            let guest = try await lines(server.address().replacing("marquee@", with: "guest@"))
            #expect(guest[" rights"]?.hasPrefix("FAILED may not CREATE tables of worker, notifier") == true)
            #expect(guest[" standby"]?.hasPrefix("- synchronous_standby_names 'other'") == true, "\(guest)")
            try await server.kill()
            #expect(try await lines(server.address())[""]?.hasPrefix("FAILED connecting to postgresql://") == true)
        }

        @Test("while the server is away requests are refused, and all goes on when it is back", .patience)
        func outage() async throws {
            let server = try await PostgreSQLServer()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": server.address()]) { harness, client in
                _ = try await client.day("2024-06-03")
                try await server.kill()
                let body = #"{"id": "later", "date": "2024-06-04"}"#
                let refused = try await client.ask("fetch.day", body)
                #expect(refused.word == "refused" && refused.body["code"] == "overloaded", "\(refused.body)")
                #expect(refused.body["retryAfter"] == 1)
                try await server.restart()
                // The server says at first that it starts.
                try await waitUntil("a request is accepted") {
                    try await client.ask("fetch.day", body).word == "accepted"
                }
                #expect(try await client.outcome(of: "later").isDone)
                #expect(try await harness.state.topics(of: .worker).filter { $0.hasPrefix("ranking.") }.count == 2)
            }
        }
    }
}
