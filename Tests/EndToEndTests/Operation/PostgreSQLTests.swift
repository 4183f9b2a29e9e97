import Foundation
import TestSupport
import Testing

extension Failures {
    /// Worker and notifier with their state in PostgreSQL.
    @Suite struct PostgreSQLTests {
        @Test("the state is in the server, and killed processes go on with it", .patience)
        func state() async throws {
            let address = try await PostgreSQLServer.shared().address()
            try await ProcessHarness.run(settings: ["MARQUEE_DATABASE": address]) { harness, client in
                var charts: [JSON] = []
                for day in 3...5 { charts.append(try await client.day("2024-06-0\(day)").events[0].data) }
                let alerts = try await waitUntil("alerts of the last day are decided") {
                    try await harness.topics(in: "notifier.db")
                } is: {
                    $0.contains { $0.hasSuffix("2024-06-05") }
                }
                for role in [ProcessHarness.Role.worker, .notifier] { try await harness.restart(role, by: SIGKILL) }
                _ = try await client.waitForHeartbeat(of: .worker)
                _ = try await client.day("2024-06-05")
                #expect(try await harness.topics(in: "worker.db").filter { $0.hasPrefix("ranking.") }.count == 3)
                #expect(try await harness.topics(in: "notifier.db") == alerts)
                // What people query has the figures of the events.
                let query = "select json_agg(l) from (select * from worker.chart_line order by date, line) as l"
                let psql = try await Program.run("/usr/bin/psql", ["--dbname", address, "-At", "--command", query])
                let rows = try JSON(psql.output.joined()).list
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
                let backup = try await harness.marquee("backup", harness.folder.file("backup.db"))
                #expect(backup.status == 1 && backup.errors.joined().contains("pg_dump"))
            }
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
                #expect(try await harness.topics(in: "worker.db").filter { $0.hasPrefix("ranking.") }.count == 2)
            }
        }
    }
}
