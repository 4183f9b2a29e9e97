import Foundation
import TestSupport
import Testing

extension Failures {
    /// Alerts on their way to people, between processes that come and go.
    struct DeliveryTests {
        private static let secret = "whsec_c2VjcmV0"

        @Test("each alert arrives once by its key, even if the receiver and the notifier are killed")
        func killed() async throws {
            let folder = try TemporaryFolder()
            let port = try reservePort()
            let first = try await receiver(port: port)
            try writeRules(in: folder, port: port)
            let settings = ["MARQUEE_RULES": folder.file("rules.yml")]
            try await ProcessHarness.run(settings: settings) { harness, client in
                try await ask(for: 1...2, client)
                var arrived = [try #require(await first.line())]
                first.end()
                while let line = await first.line() { arrived.append(line) }
                // Nobody listens now: what is decided waits in the outbox, also over a kill -9.
                try await ask(for: 3...4, client)
                try await harness.restart(.notifier, by: SIGKILL)
                try await client.waitForHeartbeat(of: .notifier)
                try await waitUntil("a delivery fails") {
                    try await harness.lines("notify", "log", "hook", "--last", "1000").contains {
                        $0.contains("  failed  ")
                    }
                }
                let second = try await receiver(port: port)
                try await ask(for: 5...6, client)
                try await waitUntilSent(harness)
                second.end()
                while let line = await second.line() { arrived.append(line) }

                // `alert.lead.20247710.2024-06-05` has the id `lead.20247710.2024-06-05.all`.
                let decided = try await harness.state.topics(of: .notifier).map {
                    "\($0.dropFirst("alert.".count)).all"
                }
                #expect(decided.count > 10)
                #expect(distinct(arrived.compactMap { $0.split(separator: " ").first.map(String.init) }) == decided)
                let file = try String(contentsOf: URL(filePath: folder.file("alerts.jsonl")), encoding: .utf8)
                #expect(
                    distinct(try file.split(separator: "\n").compactMap { try JSON(String($0))["id"].text }) == decided)

                let log = try await harness.lines("notify", "log", "hook", "--last", "1000")
                #expect(log.contains { $0.contains("  sent  ") })
                #expect(!log.contains { $0.contains("T0psecret") })
                #expect(try await harness.lines("notify", "log", "--dead") == [])
                let written = try harness[.notifier].written
                #expect(!(written.output + written.errors).contains { $0.contains("T0psecret") })
            }
        }

        @Test(
            "a notifier that dies while it sends a message sends it again, and loses none",
            arguments: ["posted:3", "delivered:3"])
        func inHand(step: String) async throws {
            let folder = try TemporaryFolder()
            let receiver = try await receiver()
            try writeRules(in: folder, port: receiver.port)
            let settings = ["MARQUEE_RULES": folder.file("rules.yml")]
            try await ProcessHarness.run([.notifier: ["--crash-at", step]], settings: settings) { harness, client in
                var charts: [JSON] = []
                for day in 1...3 { charts.append(try await client.day("2024-06-0\(day)").events[0].data) }
                let fired = zip(charts, [nil] + charts).flatMap { ExpectedAlerts.topics(of: $0, before: $1) }
                #expect(try await harness[.notifier].ended().status == -SIGKILL)
                try await harness.restart(.notifier, by: SIGKILL)
                try await waitUntil("\(fired.count) alerts are decided") {
                    try await harness.state.topics(of: .notifier)
                } is: {
                    $0.count >= fired.count
                }
                #expect(try await harness.state.topics(of: .notifier) == fired)
                try await waitUntilSent(harness)
                receiver.end()
                var arrived: [String] = []
                while let line = await receiver.line() { arrived.append(line) }
                let decided = fired.map { "\($0.dropFirst("alert.".count)).all" }
                #expect(arrived.compactMap { $0.split(separator: " ").first.map(String.init) } == decided)
                let lines = try String(contentsOf: URL(filePath: folder.file("alerts.jsonl")), encoding: .utf8)
                    .split(separator: "\n").compactMap { try JSON(String($0))["id"].text }
                #expect(distinct(lines) == decided && lines.count <= decided.count + 1)
                let log = try await harness.lines("notify", "log", "--last", "1000")
                #expect(log.contains { $0.contains("  unanswered  ") })
            }
        }

        @Test("a dry run sends nothing, and prints what would be sent")
        func rehearsal() async throws {
            let folder = try TemporaryFolder()
            try writeRules(in: folder, port: 1)
            let settings = ["MARQUEE_RULES": folder.file("rules.yml")]
            try await ProcessHarness.run([.notifier: ["--dry-run"]], settings: settings) { harness, client in
                try await ask(for: 1...2, client)
                for sink in ["hook: ", "file: "] {
                    #expect(try await harness[.notifier].output { $0.hasPrefix(sink) ? $0 : nil } != nil)
                }
                #expect(!FileManager.default.fileExists(atPath: folder.file("alerts.jsonl")))
                #expect(try await harness.lines("notify", "log") == [])
            }
        }

        @Test("a dead letter is listed, and `retry` sends it again")
        func dead() async throws {
            let folder = try TemporaryFolder()
            // It has another secret, and refuses everything.
            let port = try reservePort()
            let stranger = try await receiver(port: port, secret: "x")
            try writeRules(in: folder, port: port)
            let settings = ["MARQUEE_RULES": folder.file("rules.yml")]
            try await ProcessHarness.run(settings: settings) { harness, client in
                #expect(try await harness.marquee("notify", "test", "hook").status == 1)
                try await ask(for: 1...2, client)
                try await waitUntilSent(harness)
                let dead = try await harness.lines("notify", "log", "--dead")
                #expect(!dead.isEmpty && dead.allSatisfy { $0.contains("hook") && $0.contains("401") })
                stranger.end()
                let receiver = try await receiver(port: port)
                #expect(try await harness.lines("notify", "test", "hook") == ["hook: delivered: 204"])
                _ = await receiver.line()
                let alerts = dead.count == 1 ? "1 alert goes" : "\(dead.count) alerts go"
                #expect(try await harness.lines("notify", "retry", "hook") == ["hook: \(alerts) out again"])
                let audit = try #require(try await harness[.notifier].error(containing: "command accepted"))
                for text in ["retry", "hook"] { #expect(audit.contains(text)) }
                for _ in dead { _ = try #require(await receiver.line()) }
                try await waitUntilSent(harness)
                #expect(try await harness.lines("notify", "log", "--dead") == [])
                #expect(try await harness.marquee("notify", "retry", "nobody").status == 1)
            }
        }

        /// A receiver with the clock of the sender, because it compares its own with the time of a message.
        private func receiver(port: Int = 0, secret: String = Self.secret) async throws -> Counterpart {
            try await Counterpart(
                "../../Examples/webhook.py", ["\(port)"],
                environment: FixedClock.environment.merging(["WEBHOOK_SECRET": secret]) { $1 })
        }

        private func writeRules(in folder: TemporaryFolder, port: Int) throws {
            let text = """
                sinks:
                  hook: {kind: webhook, url: "http://127.0.0.1:\(port)/T0psecret", secret: \(Self.secret)}
                  file: {kind: file, path: \(folder.file("alerts.jsonl"))}
                """
            try Data(text.utf8).write(to: URL(filePath: folder.file("rules.yml")))
        }

        /// Asks for days of June, and waits for all alerts that follow.
        private func ask(for days: ClosedRange<Int>, _ client: Client) async throws {
            for day in days {
                let before = client.events("ranking.day.all.2024-06-0\(day - 1)").last?.data
                let chart = try #require(try await client.day("2024-06-0\(day)").events.first).data
                guard let last = ExpectedAlerts.topics(of: chart, before: before).last else { continue }
                _ = try await client.event(last)
            }
        }

        /// Waits until no alert waits for the sinks; nobody tells, so the notifier is asked.
        private func waitUntilSent(_ harness: ProcessHarness) async throws {
            try await waitUntil("no alert waits for the sinks") {
                try JSON(try await harness.lines("status", "--alerts", "--json").joined())["queue"]
            } is: { queue in
                ["hook", "file"].allSatisfy { (queue[$0].number ?? 0) == 0 }
            }
        }

        /// The texts, each where it stands first.
        private func distinct(_ texts: [String]) -> [String] {
            var seen: Set<String> = []
            return texts.filter { seen.insert($0).inserted }
        }
    }
}
