import BoxOffice
import Contract
import EventStore
import Foundation
import Notifier
import TestSupport
import Testing

@Suite struct ReplayTests {
    private let june: KoreanDate

    init() throws {
        june = try #require(KoreanDate(year: 2024, month: 6, day: 1))
    }

    /// The alerts in the log of a stage's notifier as `marquee replay` prints alerts, in the log's order.
    private func live(_ stage: Stage) throws -> [String] {
        try NotifierProcess.logFile(inFolder: stage.data()).read { log, connection in
            try log.events(of: .alert, after: .zero, limit: 50_000, in: connection).events.map { event in
                let body = String(decoding: event.body, as: UTF8.self)
                let data = try #require(body.range(of: #""data":"#)).upperBound
                let id = try Event(topic: event.topic, body: event.body).id
                return #"{"data":\#(body[data...].dropLast()),"id":"\#(id)"}"#
            }
        }
    }

    /// Requests days of a stage, and expects the same alerts of its notifier and of two replays.
    private func agree(_ stage: Stage, over days: [KoreanDate], replay options: [String] = []) async throws -> Int {
        try await stage.request(days)
        let replay = ["replay", "--from", stage.data("worker.db")] + options
        let first = try await Program.run(Stage.marquee, replay, environment: stage.environment)
        let lines = first.output
        let last = try #require(lines.last?.split(separator: #""id":""#).last?.dropLast(2))
        // The notifier works while its last decision is not in its own words.
        #expect(try await stage[.notifier].error(containing: String(last)) != nil)
        #expect(try live(stage) == lines)
        #expect(try await Program.run(Stage.marquee, replay, environment: stage.environment).output == first.output)
        // A notifier's database knows by itself what it only learnt from, and since when it was asked.
        let others = options.firstIndex(of: "--since").map { options[..<$0] + options[($0 + 2)...] } ?? options[...]
        let same = ["replay", "--from", stage.data("worker.db"), "--as", stage.data("notifier.db")] + others
        #expect(try await Program.run(Stage.marquee, same, environment: stage.environment).output == first.output)
        return lines.count
    }

    @Test("the notifier's log and two replays agree on made-up days", .timeLimit(.minutes(5)))
    func sandbox() async throws {
        try await Stage.play { stage, _ in
            let days = (0..<40).map { june + $0 }
            let count = try await agree(stage, over: days + [june + 10, june - 1])
            #expect(count > 40)
        }
    }

    @Test("the notifier's log and two replays agree on days in any order", .timeLimit(.minutes(5)))
    func anyOrder() async throws {
        let options = ["--since", june.description, "--ranks", "2"]
        try await Stage.play([.notifier: options]) { stage, _ in
            let days = (0..<30).map { june - 3 + ($0 * 7) % 30 }
            let count = try await agree(stage, over: days, replay: options)
            #expect(count > 40)
        }
    }

    @Test("the notifier's log and two replays agree on a year", .timeLimit(.minutes(5)))
    func recorded() async throws {
        try await Stage.play([.sandbox: ["--recorded", try Recorded.folder]]) { stage, _ in
            let first = try #require(KoreanDate(year: 2024, month: 2, day: 1))
            let count = try await agree(stage, over: (0..<300).map { first + $0 })
            #expect(count > 500)
        }
    }

    @Test("a backup's replay is the log's, and what was learned fires nothing", .timeLimit(.minutes(5)))
    func backup() async throws {
        try await Stage.play { stage, _ in
            try await stage.request((0..<6).map { june + $0 })
            let copy = stage.folder.file("copy")
            _ = try await stage.lines("backup", copy)
            let all = try await stage.lines("replay", "--from", copy)
            #expect(try await stage.lines("replay", "--from", stage.data("worker.db")) == all)
            let rest = try await stage.lines("replay", "--from", copy, "--learned", "4")
            #expect(
                rest
                    == all.filter {
                        !$0.contains("2024-06-0") || $0.contains("2024-06-05.all") || $0.contains("2024-06-06.all")
                    })
            #expect(!rest.isEmpty)
            #expect(rest.count < all.count)
        }
    }
}
