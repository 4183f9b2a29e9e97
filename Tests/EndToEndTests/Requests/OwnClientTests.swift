import BoxOffice
import Contract
import Glibc
import Messaging
import TestSupport
import Testing
import ZeroMQ

extension WireProtocol {
    /// Our own client against the real processes, where others have theirs.
    struct OwnClientTests {
        /// A request ended in the other way.
        private struct UnexpectedOutcomeError: Error {}

        @Test("the Swift client decodes charts, failures and events")
        func types() async throws {
            try await ProcessHarness.run { harness, client in
                let (commands, events) = (
                    harness.environment["MARQUEE_COMMANDS"], harness.environment["MARQUEE_EVENTS"]
                )
                let io = try IOThread()
                let own = RequestClient(io, commands: [try #require(commands)], events: [try #require(events)])
                let day = try #require(KoreanDate("2024-06-04"))
                guard
                    case .done(let done, let answers) = try await own.perform(
                        Request(.day(day, .all)), within: patience)
                else { throw UnexpectedOutcomeError() }
                #expect(done.from == .upstream && answers.count == 1)
                let chart = try answers[0].data(as: Chart.self)
                #expect(chart.date == day && chart.state == .settled && chart.entries.count == 10)
                // What it read as types is what a stranger read as text.
                let heard = try await client.event("ranking.day.all.2024-06-04")
                #expect(heard.text == String(decoding: answers[0].body, as: UTF8.self))
                #expect(heard.data["entries"].list.map { $0["title"].text } == chart.entries.map(\.title))

                let movie = try #require(MovieCode("00000000"))
                guard
                    case .failed(let failure) = try await own.perform(
                        Request(.movie(movie, poster: false)), within: patience)
                else { throw UnexpectedOutcomeError() }
                #expect(failure.code == .notFound && failure.upstream?.service == "kobis")
                await io.shutdown()
            }
        }
    }
}

extension Failures {
    /// Our own client and a worker that dies.
    struct PatientClientTests {
        @Test(
            "a request succeeds even if the worker is killed and restarted meanwhile",
            arguments: ["accepted", "answered", "committed"])
        func killed(step: String) async throws {
            try await ProcessHarness.run([.worker: ["--crash-at", step]]) { harness, _ in
                async let asked: Void = harness.request([try #require(KoreanDate("2024-06-04"))])
                _ = try await harness[.worker].ended()
                try await harness.restart(.worker, by: SIGKILL)
                try await asked
            }
        }
    }
}
