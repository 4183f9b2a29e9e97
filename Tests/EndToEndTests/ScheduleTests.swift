import Foundation
import Testing

extension PublishedEvents {
    /// What the worker does when nobody asks.
    struct ScheduleTests {
        @Test(
            "the schedule fetches the last days, then their movies, and status shows the next run",
            .timeLimit(.minutes(5)))
        func byItself() async throws {
            try await ProcessHarness.run(settings: ["MARQUEE_SCHEDULE": "on"]) { _, client in
                let movie = try await client.event { $0.topic.hasPrefix("request.done.schedule.movie.") }
                #expect(movie.data["events"][0]["topic"].text?.hasPrefix("movie.") == true)
                let asked = client.events("request.accepted.schedule.day.").map(\.topic)
                #expect(asked.count >= 2 && Set(asked).count == asked.count)
                let schedule = try await client.ask("status").body["schedule"].list
                #expect(!schedule.isEmpty && schedule.allSatisfy { $0["what"].text != nil && $0["at"].text != nil })
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
