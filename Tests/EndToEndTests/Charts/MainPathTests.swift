import BoxOffice
import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// From a request to the alert, as the contract tells it.
    struct MainPathTests {
        @Test("requested days become charts, and charts fire the alerts of the rules")
        func days() async throws {
            try await ProcessHarness.run { _, client in
                var before: JSON?
                var expected: [(topic: String, evidence: JSON)] = []
                for day in (1...9).map({ "2024-06-0\($0)" }) {
                    // History, between two new days, fires nothing.
                    if day == "2024-06-09" { #expect(try await client.day("2024-05-20").isDone) }
                    let outcome = try await client.day(day)
                    #expect(outcome.isDone && outcome.end.data["from"] == "upstream")
                    let chart = try #require(outcome.events.first)
                    #expect(chart.topic == "ranking.day.all.\(day)")
                    #expect(chart.body["correlationid"] == outcome.end.body["correlationid"])
                    #expect(chart.data["state"] == "settled" && chart.data["revision"] == 1)
                    #expect(chart.data["entries"].list.count == 10)
                    let evidence: JSON = ["stream": "ranking", "sequence": chart.body["sequence"]]
                    expected += ExpectedAlerts.topics(of: chart.data, before: before).map { ($0, evidence) }
                    before = chart.data
                }
                try #require(expected.count > 9)
                _ = try await client.event(try #require(expected.last).topic)
                let alerts = client.events("alert.")
                #expect(alerts.map(\.topic) == expected.map(\.topic))
                #expect(alerts.map { $0.data["evidence"][0] } == expected.map(\.evidence))
                #expect(alerts.map(\.sequence) == (1...alerts.count).map(Client.sequence))
                let epoch = alerts[0].body["epoch"]
                #expect(alerts.allSatisfy { $0.body["epoch"] == epoch })
                for (role, stream, count) in [("worker", "ranking", 10), ("notifier", "alert", alerts.count)] {
                    let last = JSON.text(Client.sequence(count))
                    let heart = try await client.event {
                        $0.topic == "heartbeat.\(role)" && $0.data["positions"][stream] == last
                    }
                    #expect((heart.data["epoch"] == epoch) == (role == "notifier"))
                }
            }
        }

        @Test("days that come in any order fire the alerts of each day")
        func anyOrder() async throws {
            let folder = try TemporaryFolder()
            let rules = folder.file("rules.yml")
            try "rules: {entered: , left: , rose: {by: 1}, fell: {by: 1}, lead: }\n"
                .write(toFile: rules, atomically: true, encoding: .utf8)
            try await ProcessHarness.run(settings: ["MARQUEE_RULES": rules]) { _, client in
                var charts: [String: JSON] = [:]
                for day in ["2024-06-03", "2024-06-01", "2024-06-02"] {
                    charts[day] = try await client.day(day).events[0].data
                }
                let days = charts.keys.sorted()
                let expected = zip(days, [nil] + days).flatMap { day, before in
                    ExpectedAlerts.topics(of: charts[day] ?? nil, before: before.flatMap { charts[$0] }, threshold: 1)
                }
                for topic in expected { _ = try await client.event(topic) }
                let alerts = client.events("alert.").map(\.topic)
                #expect(alerts.sorted() == expected.sorted())
            }
        }
    }
}
