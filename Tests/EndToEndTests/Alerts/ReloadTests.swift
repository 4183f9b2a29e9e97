import Foundation
import TestSupport
import Testing

extension Failures {
    /// SIGHUP to the notifier, as an operator sends it.
    struct ReloadTests {
        @Test(
            "a rule file with mistakes changes nothing; a valid one counts from the next chart on, and no delivery is lost or doubled"
        )
        func reload() async throws {
            let folder = try TemporaryFolder()
            let services = try await Counterpart("services.py")
            let gone = "gone: {kind: webhook, url: \"http://127.0.0.1:1/T0p\", secret: never-told}"
            let moves = "rose: {by: 1}, fell: {by: 1}"
            try write(
                "rules: {entered: , left: , lead: , \(moves)}\nsinks: {kept: \(file("kept", folder)), \(gone)}",
                to: folder)
            let settings = [
                "MARQUEE_RULES": folder.file("rules.yml"), "MARQUEE_PUBLIC_URL": "http://127.0.0.1:\(services.port)",
            ]
            try await ProcessHarness.run(settings: settings) { harness, client in
                let notifier = try harness[.notifier]
                var charts: [JSON] = []
                for day in 1...2 { charts.append(try await chart(of: day, client)) }
                let first = try #require(ExpectedAlerts.topics(of: charts[1], before: charts[0], threshold: 1).last)
                _ = try await client.event(first)

                try write("rules: entered\nsinks: {kept: {kind: fil, path: x}}", to: folder)
                notifier.signal(SIGHUP)
                _ = try #require(await notifier.error(containing: "rules: a rule is written with a colon: 'entered:'"))
                _ = try #require(await notifier.error(containing: "sinks.kept.kind: 'fil' is not one of"))
                charts.append(try await chart(of: 3, client))
                let second = try #require(ExpectedAlerts.topics(of: charts[2], before: charts[1], threshold: 1).last)
                _ = try await client.event(second)

                // A poster that is known before the alert is shown with it.
                let code = try #require(charts[2]["entries"].list.first?["movieCode"])
                #expect(try await client.request("fetch.movie", ["code": code]).isDone)
                let site = "site: {kind: webhook, url: \"http://127.0.0.1:\(services.port)/hook\", secret: T0psecret}"
                try write(
                    "rules: {\(moves)}\n"
                        + "sinks: {kept: \(file("kept", folder)), new: \(file("new", folder)), \(site)}", to: folder)
                notifier.signal(SIGHUP)
                let line = try #require(await notifier.error(containing: "is in force"))
                #expect(line.contains("\"rose,fell\"") && line.contains("\"kept,new,site\""))
                charts.append(try await chart(of: 4, client))
                let moved = ExpectedAlerts.topics(of: charts[3], before: charts[2], threshold: 1)
                    .filter { $0.hasPrefix("alert.rose.") || $0.hasPrefix("alert.fell.") }
                #expect(!moved.isEmpty)
                for topic in moved { _ = try await client.event(topic) }
                try await waitUntil("no alert waits for the sinks in force") {
                    try JSON(try await harness.lines("status", "--alerts", "--json").joined())["queue"]
                } is: { queue in
                    ["kept", "new", "site"].allSatisfy { (queue[$0].number ?? 0) == 0 }
                }

                let decided = try await harness.state.topics(of: .notifier).map {
                    "\($0.dropFirst("alert.".count)).all"
                }
                let today = decided.filter { $0.contains("2024-06-04") }
                #expect(today == moved.map { "\($0.dropFirst("alert.".count)).all" })
                #expect(try delivered("kept", folder) == decided && delivered("new", folder) == today)
                let dead = try await harness.lines("notify", "log", "--dead")
                #expect(dead.count == decided.count - today.count && dead.allSatisfy { $0.contains("  gone  ") })

                services.end()
                var images: [String] = []
                while let line = await services.line() {
                    let event = try JSON(line)["payload"]
                    let page = "http://127.0.0.1:\(services.port)/movie/\(event["data"]["movieCode"].text ?? "")"
                    #expect(event["link"].text == page)
                    if event["data"]["movieCode"] == code { images += [event["image"].text ?? "none"] }
                }
                #expect(images.allSatisfy { $0.contains("/api/v1/posters/\(code.text ?? "")/") }, "\(images)")
                let log = notifier.written.errors.joined()
                #expect(!log.contains("T0psecret"))
            }
        }

        private func chart(of day: Int, _ client: Client) async throws -> JSON {
            try #require(try await client.day("2024-06-0\(day)").events.first).data
        }

        private func file(_ name: String, _ folder: TemporaryFolder) -> String {
            "{kind: file, path: \(folder.file("\(name).jsonl"))}"
        }

        /// The alerts in a sink's file, in their order.
        private func delivered(_ name: String, _ folder: TemporaryFolder) throws -> [String] {
            try String(contentsOf: URL(filePath: folder.file("\(name).jsonl")), encoding: .utf8)
                .split(separator: "\n").compactMap { try JSON(String($0))["id"].text }
        }

        private func write(_ text: String, to folder: TemporaryFolder) throws {
            try Data("\(text)\n".utf8).write(to: URL(filePath: folder.file("rules.yml")))
        }
    }
}
