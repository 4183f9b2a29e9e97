import BoxOffice
import Foundation
import TestSupport
import Testing

/// A rule file, from its check to the alerts it leads to.
@Suite(.patience) struct RuleFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ text: String) throws -> String {
        let path = folder.file("rules.yml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("`check rules` prints the rules, or every mistake with its position")
    func check() async throws {
        let good = try await Program.run(
            ProcessHarness.marquee, ["check", "rules", try file("rules: {lead: , milestone: }\n")])
        #expect(good.status == 0)
        #expect(
            good.output == [
                "\(folder.file("rules.yml")): 2 rules, 0 sinks", "lead       no sink", "milestone  no sink",
                "not in force, because `rules` does not name them: entered, left, rose, fell",
            ])

        let path = try file("rules:\n  rose:\n    by: three\n  laed:\n")
        let mistakes = [
            "\(path):3:9: rules.rose.by: 'three' is not a whole number",
            "\(path):4:3: rules.laed: unknown key; did you mean lead?",
        ]
        let bad = try await Program.run(ProcessHarness.marquee, ["check", "rules", path])
        #expect(bad.status == 1)
        #expect(bad.errors == mistakes)
        let korean = try await Program.run(ProcessHarness.marquee, ["check", "rules", path, "--language", "ko"])
        #expect(
            korean.errors == [
                "\(path):3:9: rules.rose.by: 'three' 대신 정수를 쓰세요",
                "\(path):4:3: rules.laed: 알 수 없는 키입니다. 혹시 lead인가요?",
            ])

        let environment = ["MARQUEE_RULES": path, "MARQUEE_DATA": folder.path]
        let refused = try await Program.run(ProcessHarness.marquee, ["notifier"], environment: environment)
        #expect(refused.status == 2)
        #expect(refused.errors == mistakes)

        let none = try await Program.run(ProcessHarness.marquee, ["check", "rules", folder.file("none")])
        #expect(none.errors == ["\(folder.file("none")):1:1: cannot be read: No such file or directory"])
    }

    @Test("`check rules` and `notify sinks` print which rule goes to which sink, without secrets")
    func sinks() async throws {
        let path = try file(
            """
            rules: {lead: , milestone: }
            sinks:
              news: {kind: slack, url: "https://hooks.example.org/services/T0p", rules: [milestone, streak], language: en}
              phone: {kind: ntfy, topic: T0p, severity: notable, quietHours: "23:00-08:00", rate: 20/1m, cooldown: 3d}
              desk: {kind: mail, host: mail.example.org, from: a@example.org, to: b@example.org, digest: "09:00"}
            """)
        let good = try await Program.run(ProcessHarness.marquee, ["check", "rules", path])
        #expect(
            good.output.dropFirst() == [
                "lead       phone, desk", "milestone  news, phone, desk",
                "not in force, because `rules` does not name them: entered, left, rose, fell",
            ])
        let environment = ["MARQUEE_RULES": path, "MARQUEE_DATA": folder.path]
        let table = try await Program.run(ProcessHarness.marquee, ["notify", "sinks"], environment: environment)
        let cells = table.output.map {
            $0.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        .map { $0.filter { !$0.isEmpty } }
        #expect(
            cells == [
                ["SINK", "KIND", "ADDRESS", "LANGUAGE", "SEVERITY", "SCHEDULE", "RULES"],
                ["news", "slack", "https://hooks.example.org", "en", "info", "at once", "milestone"],
                [
                    "phone", "ntfy", "https://ntfy.sh", "ko", "notable",
                    "quiet 23:00-08:00, rate 20/1m, cooldown 3d", "all",
                ],
                ["desk", "mail", "b@example.org by mail.example.org:587", "ko", "info", "digest 09:00", "all"],
            ])
        let unknown = try await Program.run(
            ProcessHarness.marquee, ["notify", "test", "news", "--rule", "milstone"], environment: environment)
        #expect(unknown.status == 2)
        #expect(unknown.errors.first?.contains("there is no rule \"milstone\"; did you mean milestone?") == true)
        let empty = try await Program.run(
            ProcessHarness.marquee, ["notify", "test", "--all", "--rule", "lead"], environment: environment)
        #expect(empty.status != 0 && empty.errors.first?.contains("there is no log at") == true, "\(empty)")
    }

    @Test("a test of a rule is made of the newest chart, says so, and is in no log")
    func samples() async throws {
        let path = try file(
            """
            rules: {milestone: {severity: info, text: {ko: "{title} {milestone:words}!"}}}
            sinks: {one: {kind: standardOutput}, two: {kind: file, path: \(folder.file("two.jsonl"))}}
            """)
        try await ProcessHarness.run(settings: ["MARQUEE_RULES": path]) { harness, client in
            let none = try await harness.marquee("notify", "test", "one", "--rule", "lead")
            #expect(none.status != 0 && none.errors.first?.contains("has no chart yet") == true, "\(none)")
            _ = try await client.day("2024-06-03")
            let chart = try #require(try await client.day("2024-06-04").events.first).data
            let title = try #require(chart["entries"].list.first?["title"].text)
            let test = try await harness.marquee("notify", "test", "--all", "--rule", "milestone")
            #expect(test.status == 0 && test.output.first?.hasPrefix("[테스트] \(title) ") == true, "\(test)")
            #expect(test.output.last?.hasPrefix("two: delivered: ") == true)
            let event = try JSON(String(contentsOfFile: folder.file("two.jsonl"), encoding: .utf8))
            #expect(event["type"].text == "marquee.test.v1" && event["data"]["date"].text == "2024-06-04")
            #expect(event["data"]["severity"].text == "info" && event["data"]["rule"].text == "milestone")
            let products = [
                "priceFell", "priceRose", "newDiscount", "soldOut", "backInStock", "newProduct", "productRemoved",
            ]
            #expect(try await client.request("fetch.products", ["page": 1]).isDone)
            let rules = [
                "entered", "left", "rose", "fell", "lead", "reentered", "opening", "streak", "milestone", "best",
                "screens", "correction", "anomaly",
            ]
            for rule in rules + products {
                let test = try await harness.marquee("notify", "test", "one", "--rule", rule)
                #expect(test.status == 0 && test.output.first?.contains("{") == false, "\(rule): \(test)")
            }
            #expect(try await harness.lines("notify", "log") == [])
            #expect(try await harness.state.topics(of: .notifier).allSatisfy { !$0.contains("milestone") })
        }
    }

    @Test("a dry run prints the alerts that the rules would have fired, in any order of the log")
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
            let leads = lines.count { $0.contains("takes No. 1 from") }
            #expect(lines.last?.contains("lead \(leads)") == true)
            let both = try await harness.marquee("replay", "--dry-run", "--baseline", "3")
            #expect(both.status == 2)
        }
    }
}
