import BoxOffice
import Foundation
import TestSupport
import Testing

@Suite(.patience) struct ReplayTests {
    private let june: KoreanDate

    init() throws {
        june = try #require(KoreanDate(year: 2024, month: 6, day: 1))
    }

    /// Requests days of a harness, and expects the same alerts of its notifier and of two replays.
    private func agree(_ harness: ProcessHarness, over days: [KoreanDate], replay options: [String] = []) async throws
        -> Int
    {
        try await harness.request(days)
        // All charts came while the notifier ran.
        let replay = ["replay", "--from", harness.state.database(of: .worker), "--baseline", "0"] + options
        let first = try await Program.run(ProcessHarness.marquee, replay, environment: harness.environment)
        let lines = first.output
        let last = try #require(lines.last?.split(separator: #""id":""#).last?.dropLast(2))
        // The notifier works while its last decision is not in its own words.
        #expect(try await harness[.notifier].error(containing: String(last)) != nil)
        #expect(try harness.state.alertLines() == lines)
        #expect(
            try await Program.run(ProcessHarness.marquee, replay, environment: harness.environment).output
                == first.output)
        // A notifier's database knows by itself what it only learnt from, and since when it was asked.
        let others = options.firstIndex(of: "--since").map { options[..<$0] + options[($0 + 2)...] } ?? options[...]
        let same = ["replay", "--as", harness.state.database(of: .notifier)] + others
        #expect(
            try await Program.run(ProcessHarness.marquee, same, environment: harness.environment).output == first.output
        )
        return lines.count
    }

    @Test("the notifier's log and two replays agree on generated days")
    func sandbox() async throws {
        try await ProcessHarness.run { harness, _ in
            let days = (0..<40).map { june + $0 }
            let count = try await agree(harness, over: days + [june + 10, june - 1])
            #expect(count > 40)
        }
    }

    @Test("the notifier's log and two replays agree on days in any order")
    func anyOrder() async throws {
        let folder = try TemporaryFolder()
        let rules = folder.file("rules.yml")
        try "rules: {entered: , left: , rose: {by: 2}, fell: {by: 2}, lead: }\n"
            .write(toFile: rules, atomically: true, encoding: .utf8)
        let options = ["--since", june.description]
        try await ProcessHarness.run([.notifier: options], settings: ["MARQUEE_RULES": rules]) { harness, _ in
            let days = (0..<30).map { june - 3 + ($0 * 7) % 30 }
            let count = try await agree(harness, over: days, replay: options)
            #expect(count > 30)
        }
    }

    @Test("the notifier's log and two replays agree on a year")
    func recorded() async throws {
        try await ProcessHarness.run([.sandbox: ["--recorded", try Recorded.folder]]) { harness, _ in
            let first = try #require(KoreanDate(year: 2024, month: 2, day: 1))
            let count = try await agree(harness, over: (0..<300).map { first + $0 })
            #expect(count > 500)
        }
    }

    @Test("a notifier that is killed while it decides history decides it again")
    func killedInHistory() async throws {
        try await ProcessHarness.run { harness, _ in
            try await harness.request((0..<40).map { june + $0 })
            await harness.end(.notifier)
            let other = try await harness.otherState()
            let command = ["notifier", "--since", june.description]
            // The first transaction has the alerts of history, the second how far the log was read.
            let first = try harness.start(command + ["--crash-at", "settled:2"], changes: other.settings)
            #expect(await first.ended().status == -SIGKILL)
            let second = try harness.start(command, changes: other.settings)
            try #require(await second.error(containing: "all charts are read") != nil)
            second.signal(SIGTERM)
            #expect(await second.ended().status == 0)
            let alerts = try await harness.lines("replay", "--as", other.database(of: .notifier))
            #expect(alerts.count > 40)
            #expect(try other.alertLines() == alerts)
        }
    }

    @Test("the replay of a backup equals that of the log, and the baseline fires nothing", .onFilesOnly)
    func backup() async throws {
        try await ProcessHarness.run { harness, _ in
            try await harness.request((0..<6).map { june + $0 })
            let copy = harness.folder.file("copy")
            _ = try await harness.lines("backup", copy)
            let all = try await harness.lines("replay", "--from", copy)
            #expect(try await harness.lines("replay", "--from", harness.data("worker.db")) == all)
            let rest = try await harness.lines("replay", "--from", copy, "--baseline", "4")
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
