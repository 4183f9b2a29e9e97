import BoxOffice
import Foundation
import TestSupport
import Testing

extension Terminal {
    /// What the log tells afterwards, while its worker runs.
    struct HistoryTests {
        @Test("`history` shows the revisions of a day and the days of a movie as published")
        func shown() async throws {
            try await ProcessHarness.run { harness, client in
                let day = KoreanDate.yesterday(at: FixedClock.now) - 1
                let early = ((day + 1).start.timeIntervalSince(FixedClock.now) + 3600).rounded()
                try await harness.setFaults(["clockOffset": .number(early)])
                let first = try await client.day("\(day)").events[0]
                try await harness.setFaults([:])
                let second = try await client.day("\(day)", refresh: true).events[0]
                try #require(second.data["revision"] == 2)

                let events = try await harness.marquee("history", "day", "\(day)", "--revisions", "--json")
                #expect(events.status == 0 && events.output == [first.text, second.text])
                let shown = try await harness.marquee("history", "day", "\(day)", "--revisions")
                #expect(shown.output.first == "Daily box office of \(day) · provisional · revision 2")
                #expect(shown.output.count == 1 + 11 + 1 + 1 + 1 + second.data["corrections"].list.count)

                let movie = try #require(second.data["entries"].list[0]["movieCode"].text)
                let days = try await harness.marquee("history", "movie", movie, "--json")
                #expect(days.output == [second.text])
                let plain = try await harness.marquee("history", "movie", movie)
                #expect(plain.output.count == 3)
                for words in [["movie", "0000000A"], ["day", "2024-06-04"]] {
                    let nothing = try await harness.start(["history"] + words).finish()
                    #expect(nothing.status == 1 && nothing.errors.count == 1)
                }
            }
        }

        @Test("`export` prints every line of the given days, as CSV (RFC 4180) and as JSON")
        func exported() async throws {
            try await ProcessHarness.run { harness, client in
                var charts: [Client.Event] = []
                for day in 1...4 { charts.append(try await client.day("2024-06-0\(day)").events[0]) }
                let period = ["--from", "2024-06-02", "--to", "20240603"]
                let json = try await harness.start(["export", "--json"] + period).finish()
                #expect(json.output == charts[1...2].map(\.text))
                let csv = try await harness.start(["export", "--csv"] + period).finish()
                // Python's own reader of CSV finds in each column what the event's field says.
                let reader = try Program(
                    ProcessHarness.python,
                    ["-c", "import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin))))"])
                for line in csv.output { try reader.type(line + "\n") }
                let read = try await reader.finish()
                let rows = try JSON(read.output.joined()).list
                let entries = charts[1...2].flatMap { chart in chart.data["entries"].list.map { (chart, $0) } }
                #expect(rows.count == entries.count)
                for (row, (chart, entry)) in zip(rows, entries) {
                    #expect(row["date"] == chart.data["date"] && row["learnt"] == chart.body["time"])
                    #expect(row["title"] == entry["title"] && row["movieCode"] == entry["movieCode"])
                    #expect(Double(row["audience"].text ?? "") == entry["audience"].number)
                    #expect(Double(row["salesShare"].text ?? "") == entry["salesShare"].number)
                }
            }
        }

        @Test("the queries in docs/history.md work while the worker runs")
        func questions() async throws {
            try await ProcessHarness.run { harness, client in
                for day in 1...3 { _ = try await client.day("2024-06-0\(day)") }
                _ = try await client.request("fetch.week", ["date": "2024-06-02"])
                let page = try String(contentsOfFile: "\(ProcessHarness.checkout)/docs/history.md", encoding: .utf8)
                let questions = page.components(separatedBy: "```sql\n").dropFirst().map {
                    $0.components(separatedBy: "```")[0]
                }
                #expect(questions.count == 3)
                func rows(_ question: String) async throws -> [JSON] {
                    try await harness.state.rows(question, of: .worker)
                }
                let leaders = try await rows(questions[0])
                #expect(leaders.reduce(0) { $0 + ($1["days"].number ?? 0) } == 3)
                #expect(try await rows(questions[1]).map { $0["days"] } == [3])
                #expect(try await rows(questions[2]).isEmpty)
                let weekend = try await rows(
                    #"select "firstDay", "lastDay", count(*) as lines from week_chart_line group by 1, 2"#)
                #expect(weekend == [["firstDay": "2024-05-31", "lastDay": "2024-06-02", "lines": 10]])
                let kinds = try await rows(
                    #"select kind, count(*) as n, min("isNewest") as newest from chart_revision group by 1 order by 1"#)
                #expect(
                    kinds == [["kind": "day", "n": 3, "newest": 1], ["kind": "week", "n": 1, "newest": 1]])
            }
        }
    }
}
