import BoxOffice
import Foundation
import Testing

/// From a request to the alert, as the contract tells it.
@Suite(.serialized)
struct MainPathTests {
    @Test("days asked for become charts, and charts become the alerts that the rules demand", .timeLimit(.minutes(1)))
    func days() async throws {
        try await Stage.play { _, client in
            var before: JSON?
            var expected: [(topic: String, evidence: JSON)] = []
            for day in (1...9).map({ "2024-06-0\($0)" }) {
                let outcome = try await client.day(day)
                #expect(outcome.isDone && outcome.end.data["from"] == "upstream")
                let chart = try #require(outcome.events.first)
                #expect(chart.topic == "ranking.day.all.\(day)")
                #expect(chart.body["correlationid"] == outcome.end.body["correlationid"])
                #expect(chart.data["state"] == "settled" && chart.data["revision"] == 1)
                #expect(chart.data["entries"].list.count == 10)
                let evidence: JSON = ["stream": "ranking", "sequence": chart.body["sequence"]]
                expected += AlertRule.topics(of: chart.data, before: before).map { ($0, evidence) }
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
        }
    }
}
