import Foundation
import TestSupport
import Testing

extension Failures {
    /// History that is fetched while processes come and go.
    struct BackfillTests {
        @Test("a backfill continues after SIGKILL, stays within its part of the quota and fires no alert")
        func killed() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_KOBIS_DAILY_LIMIT": "100"]) { harness, client in
                #expect(try await client.day("2024-05-20").isDone)
                try await harness.setFaults(["kobis": ["latency": 200]])
                let command = try harness.start(["backfill", "2024-05-01..2024-06-04"])
                try await harness.waitForRequests(9, at: ProcessHarness.dailyCharts)
                // A command that has had no answer yet does not wait for a worker that is away.
                try #require(await command.output { $0.contains(" of 35") ? $0 : nil } != nil)
                try await harness.restart(.worker, by: SIGKILL)
                try await client.waitForHeartbeat(of: .worker)
                let ending = await command.ended()
                #expect(ending.status == 0)
                #expect(ending.output.last == "35 of 35 · done")
                let charts = try await harness.state.topics(of: .worker).filter { $0.hasPrefix("ranking.") }
                #expect(charts.count == 35 && Set(charts).count == 35)
                let quota = try await client.ask("status").body["quota"]["kobis"]
                let used = try #require(quota["used"].number)
                // What was asked for when the worker was killed is asked for again; all of it was booked before.
                let made = Double(try await harness.requests(for: ProcessHarness.dailyCharts))
                #expect(made >= 35 && made <= used && used <= 80)
                // The day before the newest fires nothing either, but is known. It is asked for, since it may have been
                // published before the client found the new worker.
                let before = try await client.day("2024-06-04").events
                let newest = try await client.day("2024-06-05")
                #expect(newest.isDone)
                let fired = ExpectedAlerts.topics(
                    of: try #require(newest.events.first).data, before: try #require(before.first).data)
                if let last = fired.last { _ = try await client.event(last) }
                let alerts = try await harness.state.topics(of: .notifier).filter { !$0.hasSuffix(".2024-05-20") }
                #expect(alerts.allSatisfy { $0.hasSuffix(".2024-06-05") })
            }
        }

        @Test(
            "a backfill waits when its part of the quota is exhausted, leaves the rest to requests, and can be stopped")
        func exhausted() async throws {
            let settings = ProcessHarness.tcp.merging(["MARQUEE_KOBIS_DAILY_LIMIT": "10"]) { $1 }
            try await ProcessHarness.run(settings: settings) { harness, client in
                #expect(try await harness.marquee("backfill", "2024-05-01..2024-06-04", "--detach").status == 0)
                try await harness.waitForRequests(8, at: ProcessHarness.dailyCharts)
                #expect(try await client.day("2010-01-01").isDone)
                let command = try harness.start(["backfill"])
                try await waitUntil("the backfill waits for its quota") {
                    try await harness.marquee("status").output.joined()
                } is: {
                    $0.contains("paused: quotaExhausted")
                }
                let audit = try #require(try await harness[.worker].error(containing: "command accepted"))
                for text in ["backfill", "2024-05-01", #""address":"127.0.0.1""#] { #expect(audit.contains(text)) }
                #expect(try await client.day("2010-01-02").isDone)
                #expect(
                    try await harness.lines("backfill", "--stop") == [
                        "stopped the backfill of 2024-05-01..2024-06-04; 8 of 35 are in the log"
                    ])
                #expect(await command.ended().status == 1)
                let again = try await harness.marquee("backfill", "--stop")
                #expect(again.status == 1 && again.errors == ["marquee: there is no backfill to stop"])
                #expect(try await harness.requests(for: ProcessHarness.dailyCharts) == 10)
            }
        }

        @Test("invalid days are rejected by the command or by the worker")
        func mistakes() async throws {
            try await ProcessHarness.run { harness, client in
                #expect(try await harness.marquee("backfill", "2024-05-01").status == 2)
                #expect(try await harness.marquee("backfill", "may..june").status == 2)
                let reversed = try await harness.marquee("backfill", "2024-06-04..2024-05-01")
                #expect(reversed.status == 1 && reversed.errors[0].contains("first comes after last"))
                let early = try await client.ask("backfill", #"{"first":"2003-11-10","last":"yesterday"}"#)
                #expect(early.word == "refused" && early.body["code"] == "dateOutOfRange")
                #expect(try await harness.marquee("backfill").errors[0].contains("there is no backfill"))
            }
        }
    }
}
