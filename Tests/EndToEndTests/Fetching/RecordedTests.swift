import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// The main path on figures that the real service once gave.
    struct RecordedTests {
        @Test("a recorded day is published with every figure as recorded, and its correction as a revision")
        func figures() async throws {
            try await ProcessHarness.run(recorded) { harness, client in
                // The early recording is of the night after the day, the table of when it was settled.
                let early = try entries(of: String(decoding: Recorded.data("kobis/daily/20240604.json"), as: UTF8.self))
                let settled = try #require(try table()["2024-06-04"])
                try #require(early != settled)
                let night = Date(timeIntervalSince1970: 1_717_516_800)  // 2024-06-05 01:00 in Korea
                try await harness.setFaults(["clockOffset": .number(night.timeIntervalSince(FixedClock.now).rounded())])
                let first = try await client.day("2024-06-04").events[0]
                #expect(first.data["entries"] == .list(early))
                try await harness.setFaults([:])
                let second = try await client.day("2024-06-04", refresh: true).events[0]
                #expect(second.data["entries"] == .list(settled) && second.data["revision"] == 2)
                let wrong = Set(zip(early, settled).filter { $0 != $1 }.map { $0.0["movieCode"] })
                #expect(Set(second.data["corrections"].list.map { $0["movieCode"] }) == wrong)
            }
        }

        @Test("the alerts of ten recorded days are those of the contract's rules")
        func alerts() async throws {
            try await ProcessHarness.run(recorded) { _, client in
                let table = try table()
                var before: JSON?
                var expected: [String] = []
                for day in (1...10).map({ $0 < 10 ? "2024-06-0\($0)" : "2024-06-10" }) {
                    let chart: JSON = ["date": .text(day), "entries": .list(try #require(table[day]))]
                    #expect(try await client.day(day).events[0].data["entries"] == chart["entries"])
                    expected += ExpectedAlerts.topics(of: chart, before: before)
                    before = chart
                }
                _ = try await client.event(try #require(expected.last))
                #expect(client.events("alert.").map(\.topic) == expected)
                #expect(
                    Set(expected.map { $0.split(separator: ".")[1] }) == ["entered", "left", "rose", "fell", "lead"])
            }
        }

        @Test("recorded filters and facts are found")
        func others() async throws {
            try await ProcessHarness.run(recorded) { _, client in
                let korean = try await client.request("fetch.day", ["date": "2024-06-04", "nation": "K"])
                let recorded = try lines("kobis/daily-variants/2024-06.repNationCd=K.jsonl")["2024-06-04"]
                #expect(korean.events[0].data["entries"].list == recorded)
                let facts = try await client.request("fetch.movie", ["code": "2022B512", "poster": false])
                let file = try JSON(String(decoding: Recorded.data("kobis/movie/2022B512.json"), as: UTF8.self))
                let info = file["movieInfoResult"]["movieInfo"]
                let movie = facts.events[0].data
                #expect(
                    movie["title"] == info["movieNm"]
                        && movie["runtimeMinutes"].number == Double(info["showTm"].text ?? "")
                )
                #expect(movie["directors"].list.map { $0["name"] } == info["directors"].list.map { $0["peopleNm"] })
            }
        }

        private var recorded: [ProcessHarness.Role: [String]] {
            get throws { [.sandbox: ["--recorded", try Recorded.folder]] }
        }

        /// The settled charts of June 2024 by day.
        private func table() throws -> [String: [JSON]] {
            try lines("kobis/daily-2024/2024-06.jsonl")
        }

        private func lines(_ path: String) throws -> [String: [JSON]] {
            let responses = try String(decoding: Recorded.data(path), as: UTF8.self).split(separator: "\n")
            return Dictionary(
                uniqueKeysWithValues: try responses.map { response in
                    let range = try JSON(String(response))["boxOfficeResult"]["showRange"].text ?? ""
                    let (year, month, day) = (
                        range.prefix(4), range.dropFirst(4).prefix(2), range.dropFirst(6).prefix(2)
                    )
                    return ("\(year)-\(month)-\(day)", try entries(of: String(response)))
                })
        }

        /// A recorded chart's lines in the contract's words.
        private func entries(of response: String) throws -> [JSON] {
            let numbers = [
                "line": "rnum", "rank": "rank", "rankChange": "rankInten", "sales": "salesAmt",
                "salesShare": "salesShare",
                "salesDelta": "salesInten", "salesChange": "salesChange", "salesTotal": "salesAcc",
                "audience": "audiCnt",
                "audienceDelta": "audiInten", "audienceChange": "audiChange", "audienceTotal": "audiAcc",
                "screens": "scrnCnt", "showings": "showCnt",
            ]
            return try JSON(response)["boxOfficeResult"]["dailyBoxOfficeList"].list.map { line in
                func text(_ name: String) -> String? {
                    let text = line[name].text?.trimmingCharacters(in: .whitespacesAndNewlines)
                    return text == "" ? nil : text
                }
                var entry = numbers.mapValues { text($0).flatMap(Double.init).map(JSON.number) ?? nil }
                entry["isNew"] = .boolean(text("rankOldAndNew") == "NEW")
                entry["movieCode"] = text("movieCd").map(JSON.text)
                entry["title"] = text("movieNm").map(JSON.text)
                entry["openDate"] = .some(text("openDt").map(JSON.text) ?? nil)
                return .object(entry)
            }
        }
    }
}
