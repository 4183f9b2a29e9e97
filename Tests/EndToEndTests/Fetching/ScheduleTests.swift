import BoxOffice
import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// What the worker does when nobody asks.
    struct ScheduleTests {
        @Test("the schedule fetches the last days, then their movies, and status shows the next run")
        func byItself() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_SCHEDULE": "on"]) { harness, client in
                let movie = try await client.logged("request.done.schedule.movie.")
                #expect(movie["data"]["events"][0]["topic"].text?.hasPrefix("movie.") == true)
                let asked = try await harness.state.topics(of: .worker).filter {
                    $0.hasPrefix("request.accepted.schedule.day.")
                }
                #expect(asked.count >= 2 && Set(asked).count == asked.count)
                let schedule = try await client.ask("status").body["schedule"].list
                #expect(!schedule.isEmpty && schedule.allSatisfy { $0["what"].text != nil && $0["at"].text != nil })
            }
        }

        @Test("a new log begins with 40 days of history, once, and only the days after them fire")
        func history() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_SCHEDULE": "on"]) { harness, client in
                let yesterday = KoreanDate.yesterday(at: FixedClock.now)
                for day in 0..<3 { try await client.logged("request.done.schedule.day.\(yesterday - day).") }
                let charts = try await harness.state.topics(of: .worker).filter { $0.hasPrefix("ranking.day.all.") }
                #expect(Set(charts) == Set((0...40).map { "ranking.day.all.\(yesterday - $0)" }))
                #expect(Set(charts.suffix(3)) == Set((0..<3).map { "ranking.day.all.\(yesterday - $0)" }))
                try await harness.restart(.notifier, by: SIGTERM)
                let alerts = try await harness.state.topics(of: .notifier)
                let live = (0..<3).map { "\(yesterday - $0)" }
                #expect(!alerts.isEmpty && alerts.allSatisfy { topic in live.contains { topic.hasSuffix($0) } })

                try await harness.restart(.worker, by: SIGTERM)
                let job = try await client.ask("status").body["backfill"]
                #expect(job["number"] == 1 && job["isInitial"] == true && job["isOver"] == true)
                let asked = try await harness.state.topics(of: .worker)
                #expect(asked.count { $0.hasPrefix("request.accepted.backfill.") } == 38)
            }
        }

        @Test("the schedule is off by default for an upstream other than KOBIS")
        func off() async throws {
            try await ProcessHarness.run { _, client in
                let status = try await client.ask("status").body
                #expect(status["schedule"] == .list([]))
            }
        }
    }
}
