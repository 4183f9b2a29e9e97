import Foundation
import Testing

extension Failures {
    /// What a sudden end takes with it: nothing that was accepted.
    struct CrashTests {
        @Test("a request that was accepted before SIGKILL ends once after the restart")
        func killed() async throws {
            try await ProcessHarness.run { harness, client in
                let ids = ["one", "two", "three"]
                try await harness.setFaults(["kobis": ["hang": 1, "times": 3]])
                for (id, day) in zip(ids, 4...6) {
                    let answer = try await client.ask("fetch.day", #"{"date":"2024-06-0\#(day)","id":"\#(id)"}"#)
                    #expect(answer.word == "accepted")
                }
                try await harness.waitForRequests(3, at: ProcessHarness.dailyCharts)
                try await harness.restart(.worker, by: SIGKILL)
                try await client.waitForHeartbeat(of: .worker)
                for (id, day) in zip(ids, 4...6) {
                    // Accepted again, as if nothing had happened, and done once.
                    let answer = try await client.ask("fetch.day", #"{"date":"2024-06-0\#(day)","id":"\#(id)"}"#)
                    #expect(answer.word == "accepted")
                    #expect(try await client.day("2024-06-0\(day)").isDone)
                }
                for id in ids { try await client.logged("request.done.\(id)") }
                // Stopped politely it finishes what it has in hand; what has ended then stands in its log.
                await harness.end(.worker)
                let log = try await harness.state.topics(of: .worker)
                for id in ids {
                    #expect(log.filter { $0.hasSuffix(".\(id)") } == ["request.accepted.\(id)", "request.done.\(id)"])
                }
                #expect(Set(log.filter { $0.hasPrefix("ranking.") }).count == 3)
                #expect(log.count { $0.hasPrefix("ranking.") } == 3)
            }
        }

        @Test("a request that the worker has not survived three times fails, and the worker goes on")
        func poison() async throws {
            try await ProcessHarness.run { harness, client in
                try await harness.setFaults(["kobis": ["hang": 1]])
                let answer = try await client.ask("fetch.day", #"{"date":"2024-06-04","id":"poison"}"#)
                #expect(answer.word == "accepted")
                var made = 0
                for _ in 1...3 {
                    try await harness.waitForRequests(made + 1, at: ProcessHarness.dailyCharts)
                    try await harness.restart(.worker, by: SIGKILL) {
                        // A slow worker has asked more than once.
                        made = try await harness.requests(for: ProcessHarness.dailyCharts)
                    }
                    try await client.waitForHeartbeat(of: .worker)
                }
                try await harness.setFaults([:])
                #expect(try await client.day("2024-06-05").isDone)
                await harness.end(.worker)
                let log = try await harness.state.topics(of: .worker)
                #expect(
                    log.filter { $0.hasSuffix(".poison") } == ["request.accepted.poison", "request.failed.poison"])
            }
        }

        @Test("the log continues after any end of the process", arguments: [SIGKILL, SIGTERM])
        func goesOn(signal: Int32) async throws {
            try await ProcessHarness.run { harness, client in
                let first = try await client.day("2024-06-04")
                try await harness.restart(.worker, by: signal)
                try await client.waitForHeartbeat(of: .worker)
                let known = try await client.day("2024-06-04")
                #expect(known.end.data["from"] == "log" && known.events.map(\.text) == first.events.map(\.text))
                let next = try await client.day("2024-06-05")
                #expect(next.events.map(\.sequence) == [Client.sequence(2)])
                #expect(next.end.body["epoch"] == first.end.body["epoch"])
            }
        }

        @Test("alerts fire once, even if the notifier is killed and the day is requested again")
        func notifier() async throws {
            try await ProcessHarness.run { harness, client in
                let first = try await client.day("2024-06-04")
                let fired = ExpectedAlerts.topics(of: first.events[0].data, before: nil)
                _ = try await client.event(try #require(fired.last))
                try await harness.restart(.notifier, by: SIGKILL)
                try await client.waitForHeartbeat(of: .notifier)
                _ = try await client.day("2024-06-04")
                let second = try await client.day("2024-06-05")
                let later = ExpectedAlerts.topics(of: second.events[0].data, before: first.events[0].data)
                _ = try await client.event(try #require(later.last))
                #expect(client.events("alert.").map(\.topic) == fired + later)
            }
        }
    }
}
