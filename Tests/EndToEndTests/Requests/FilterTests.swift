import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// Charts of a part of the market, which know nothing of the national ones.
    struct FilterTests {
        @Test("filtered charts of a recorded day are published separately as recorded, and fire no alert")
        func recorded() async throws {
            try await ProcessHarness.run([.sandbox: ["--recorded", try Recorded.folder]]) { harness, client in
                for (field, value, file, market) in [
                    ("nation", "K", "repNationCd=K", "nation-K"), ("nation", "F", "repNationCd=F", "nation-F"),
                    ("films", "diverse", "multiMovieYn=Y", "films-diverse"),
                    ("films", "commercial", "multiMovieYn=N", "films-commercial"),
                ] {
                    let recorded = try lines(of: "2024-06.\(file)", day: "20240604")
                    for day in ["2024-06-03", "2024-06-04"] {
                        let outcome = try await client.request("fetch.day", ["date": .text(day), field: .text(value)])
                        let chart = try #require(outcome.events.first, "\(outcome.error)")
                        #expect(chart.topic == "ranking.day.\(market).\(day)" && chart.data["revision"] == 1)
                        guard day == "2024-06-04" else { continue }
                        let entries = chart.data["entries"].list
                        #expect(entries.map { $0["movieCode"] } == recorded.map { $0["movieCd"] })
                        #expect(entries.map { $0["rank"].number } == recorded.map { Double($0["rank"].text ?? "") })
                        #expect(
                            entries.map { $0["salesShare"].number }
                                == recorded.map { Double($0["salesShare"].text ?? "") })
                    }
                }
                // The national chart is another one, whose first revision is not a correction of those.
                let all = try await client.day("2024-06-04")
                #expect(all.end.data["from"] == "upstream" && all.events[0].data["revision"] == 1)
                try await client.waitForHeartbeat(of: .notifier)
                // The chart of the day before is known in other markets only: nothing can have risen or left.
                #expect(!client.events("alert.").contains { $0.topic.hasPrefix("alert.left") })
                #expect(!client.events("alert.").contains { $0.topic.hasPrefix("alert.lead") })
                let exported = try await harness.marquee("export", "--csv", "--nation", "K")
                #expect(exported.output.count == 1 + 20 && !exported.output.joined().contains(",all,"))
            }
        }

        @Test("an area has its own figures, and an unknown area is rejected")
        func areas() async throws {
            try await ProcessHarness.run { harness, client in
                let listed = try await harness.marquee("areas")
                #expect(listed.status == 0 && listed.output.count == 17)
                let country = try await client.day("2024-06-04").events[0].data["entries"].list[0]
                let seoul = try await client.request("fetch.day", ["date": "2024-06-04", "area": "0105001"])
                let first = try #require(seoul.events.first?.data["entries"].list.first)
                #expect((first["audience"].number ?? 0) < (country["audience"].number ?? 0))
                for topic in ["fetch.day", "fetch.week"] {
                    let nowhere = try await client.request(topic, ["date": "2024-06-04", "area": "0105099"])
                    #expect(nowhere.error["code"] == "badRequest" && nowhere.error["field"] == "area")
                }
                let codes = "/kobisopenapi/webservice/rest/code/searchCodeList.json"
                #expect(try await harness.requests(for: codes) == 1)
            }
        }

        /// The recorded lines of a day in one of the filtered tables.
        private func lines(of file: String, day: String) throws -> [JSON] {
            let responses = try Recorded.lines("kobis/daily-variants/\(file).jsonl")
            let result = try responses.lazy.map { try JSON(String(decoding: $0, as: UTF8.self))["boxOfficeResult"] }
                .first { $0["showRange"].text == "\(day)~\(day)" }
            return try #require(result)["dailyBoxOfficeList"].list
        }
    }
}
