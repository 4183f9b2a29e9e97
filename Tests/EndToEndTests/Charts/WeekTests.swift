import BoxOffice
import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// `fetch.week`, by the contract, sections 2 and 3.
    struct WeekTests {
        private static let weeklyCharts = "/kobisopenapi/webservice/rest/boxoffice/searchWeeklyBoxOfficeList.json"

        @Test("a week can be requested by any of its days, in each span and form")
        func spans() async throws {
            try await ProcessHarness.run { harness, client in
                for (body, topic, last) in [
                    ("2024-06-04", "ranking.week.all.weekend.2024-06-07", "2024-06-09"),
                    (#"{"date":"20240609"}"#, "ranking.week.all.weekend.2024-06-07", "2024-06-09"),
                    (#"{"date":"2024-06-09","span":"week"}"#, "ranking.week.all.week.2024-06-03", "2024-06-09"),
                    (#"{"date":"2024-06-03","span":"weekdays"}"#, "ranking.week.all.weekdays.2024-06-03", "2024-06-06"),
                    (
                        #"{"date":"2024-06-05","nation":"F","area":"0105001"}"#,
                        "ranking.week.nation-F+area-0105001.weekend.2024-06-07", "2024-06-09"
                    ),
                ] {
                    let receipt = try await client.ask("fetch.week", body)
                    let outcome = try await client.outcome(of: try #require(receipt.body["id"].text))
                    let chart = try #require(outcome.events.first, "\(outcome.error)")
                    #expect(chart.topic == topic && chart.body["type"] == "marquee.ranking.week.v1")
                    let firstDay = String(topic.suffix(10))
                    #expect(chart.data["date"] == .text(firstDay) && chart.data["firstDay"] == .text(firstDay))
                    #expect(chart.data["lastDay"] == .text(last) && chart.data["yearWeek"] == "202423")
                    #expect(chart.data["span"] == .text(String(topic.split(separator: ".")[3])))
                    #expect(chart.data["state"] == "settled" && chart.data["revision"] == 1)
                    #expect(!chart.data["entries"].list.isEmpty)
                }
                // The second was known; the alerts are about national days and know nothing of weeks.
                #expect(try await harness.requests(for: Self.weeklyCharts) == 4)
                try await client.waitForHeartbeat(of: .notifier)
                #expect(client.events("alert.").isEmpty)
            }
        }

        @Test("an unfinished week is not published, and a wrong span is a bad request")
        func refusals() async throws {
            try await ProcessHarness.run { harness, client in
                let yesterday = KoreanDate.yesterday(at: FixedClock.now)
                let early = try await client.request("fetch.week", ["date": "yesterday", "span": "week"])
                #expect(early.error["code"] == "notPublished" && early.error["retryable"] == true)
                #expect((early.error["retryAfter"].number ?? 0) > 0)
                for (body, code, field) in [
                    (#"{"date":"2024-06-04","span":"month"}"#, "badRequest", "span"), ("{}", "badRequest", "date"),
                    ("2003-11-10", "dateOutOfRange", "date"), ("\(yesterday + 1)", "dateOutOfRange", "date"),
                ] {
                    let answer = try await client.ask("fetch.week", body)
                    #expect(answer.word == "refused" && answer.body["code"] == .text(code))
                    #expect(answer.body["field"] == .text(field))
                }
                #expect(try await harness.requests(for: Self.weeklyCharts) == 0)
            }
        }

        @Test("the command line shows a week's chart")
        func commandLine() async throws {
            try await ProcessHarness.run { harness, _ in
                let shown = try await harness.marquee("request", "week", "2024-06-04", "--span", "weekdays")
                #expect(shown.status == 0)
                #expect(shown.output.first == "Weekday box office of 2024-06-03 ~ 2024-06-06 · final")
                #expect(shown.output.count == 12)
                let bad = try await harness.marquee("request", "week", "2024-06-04", "--span", "month")
                #expect(bad.status == 2)
            }
        }

        @Test("a recorded weekend is published as recorded")
        func recorded() async throws {
            try await ProcessHarness.run([.sandbox: ["--recorded", try Recorded.folder]]) { _, client in
                let outcome = try await client.request("fetch.week", ["date": "2011-12-26"])
                let chart = try #require(outcome.events.first, "\(outcome.error)")
                #expect(chart.topic == "ranking.week.all.weekend.2011-12-30")
                #expect(chart.data["yearWeek"] == "201152" && chart.data["lastDay"] == "2012-01-01")
                let first = chart.data["entries"].list[0]
                #expect(first["audience"] == 1_007_683 && first["audienceChange"].number == -18.9)
                #expect(chart.data["entries"].list[2]["audienceChange"] == -47)
                let missing = try await client.request("fetch.week", ["date": "2011-12-26", "span": "week"])
                #expect(missing.error["code"] == "notPublished")
            }
        }
    }
}
