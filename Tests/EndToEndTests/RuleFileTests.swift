import BoxOffice
import Foundation
import TestSupport
import Testing

/// A rule file, from its check to the alerts it leads to.
@Suite struct RuleFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ text: String) throws -> String {
        let path = folder.file("rules.yml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("`check rules` prints the rules, or every mistake with its position", .timeLimit(.minutes(5)))
    func check() async throws {
        let good = try await Program.run(
            ProcessHarness.marquee, ["check", "rules", try file("rules: {lead: , milestone: }\n")])
        #expect(good.status == 0)
        #expect(good.output == ["\(folder.file("rules.yml")): lead, milestone"])

        let path = try file("rules:\n  rose:\n    by: three\n  laed:\n")
        let mistakes = [
            "\(path):3:9: rules.rose.by: 'three' is not a whole number",
            "\(path):4:3: rules.laed: unknown key; did you mean lead?",
        ]
        let bad = try await Program.run(ProcessHarness.marquee, ["check", "rules", path])
        #expect(bad.status == 1)
        #expect(bad.errors == mistakes)

        let environment = ["MARQUEE_RULES": path, "MARQUEE_DATA": folder.path]
        let refused = try await Program.run(ProcessHarness.marquee, ["notifier"], environment: environment)
        #expect(refused.status == 2)
        #expect(refused.errors == mistakes)

        let none = try await Program.run(ProcessHarness.marquee, ["check", "rules", folder.file("none")])
        #expect(none.errors == ["\(folder.file("none")):1:1: cannot be read: No such file or directory"])
    }

    @Test(
        "a dry run prints the alerts that the rules would have fired, in any order of the log", .timeLimit(.minutes(5)))
    func dryRun() async throws {
        let june = try #require(KoreanDate(year: 2024, month: 6, day: 1))
        let path = try file("rules: {streak: {days: [2], text: {ko: \"{title} {streakDays}일\"}}, lead: }\n")
        try await ProcessHarness.run { harness, _ in
            try await harness.request((0..<20).reversed().map { june + $0 })
            let lines = try await harness.lines("replay", "--rules", path, "--since", "2024-06-05", "--dry-run")
            let days = lines.dropLast().map { $0.prefix(10) }
            #expect(days == days.sorted())
            #expect(days.allSatisfy { $0 >= "2024-06-05" })
            #expect(lines.last?.hasPrefix("\(days.count) alerts: ") == true)
            let leads = lines.count { $0.contains("is the new No. 1") }
            #expect(lines.last?.contains("lead \(leads)") == true)
            let both = try await harness.marquee("replay", "--dry-run", "--learned", "3")
            #expect(both.status == 2)
        }
    }
}
