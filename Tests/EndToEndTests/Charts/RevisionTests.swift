import BoxOffice
import Foundation
import TestSupport
import Testing

extension PublishedEvents {
    /// Charts that are not there yet, or change.
    struct RevisionTests {
        @Test("corrected figures are published as a revision with the changes")
        func revision() async throws {
            try await ProcessHarness.run { harness, client in
                // The day before yesterday is provisional for another two days, and has been corrected three times.
                let day = KoreanDate.yesterday(at: FixedClock.now) - 1
                try await harness.setFaults(["clockOffset": .number(offset(toHours: 1, after: day))])
                let first = try await client.day("\(day)")
                let before = try #require(first.events.first)
                #expect(before.data["state"] == "provisional" && before.data["revision"] == 1)
                #expect(before.data["corrections"] == nil)

                try await harness.setFaults(["clockOffset": 0])
                let recent = try await client.day("\(day)")
                #expect(recent.end.data["from"] == "log" && recent.events.map(\.text) == [before.text])
                let second = try await client.day("\(day)", refresh: true)
                let after = try #require(second.events.first)
                #expect(second.end.data["from"] == "upstream")
                #expect(after.data["revision"] == 2 && after.sequence == Client.sequence(2))
                #expect(after.body["previous"] == before.body["sequence"])
                #expect(!after.data["corrections"].list.isEmpty)
                #expect(
                    corrected(before.data["entries"], by: after.data["corrections"]) == byMovie(after.data["entries"]))
            }
        }

        @Test("a day without figures is not published until figures exist")
        func notPublished() async throws {
            try await ProcessHarness.run { harness, client in
                let day = KoreanDate.yesterday(at: FixedClock.now)
                try await harness.setFaults(["clockOffset": .number(offset(toHours: -1, after: day))])
                let early = try await client.day("yesterday")
                #expect(early.error["code"] == "notPublished" && early.error["retryable"] == true)
                #expect(early.end.data["request"]["date"] == .text("\(day)"))
                try await harness.setFaults(["clockOffset": .number(offset(toHours: 1, after: day))])
                let later = try await client.day("\(day)")
                #expect(later.isDone && later.events.first?.data["state"] == "provisional")
            }
        }

        /// The seconds that take a clock to so many hours after a day's end.
        private func offset(toHours hours: Double, after day: KoreanDate) -> Double {
            ((day + 1).start.timeIntervalSince(FixedClock.now) + hours * 3600).rounded()
        }

        private func byMovie(_ entries: JSON) -> [JSON: [String: JSON]] {
            Dictionary(
                uniqueKeysWithValues: entries.list.map { entry in
                    guard case .object(let fields) = entry else { return (nil, [:]) }
                    return (entry["movieCode"], fields)
                })
        }

        /// The entries as they are once each correction has been made; one that does not fit changes nothing.
        private func corrected(_ entries: JSON, by corrections: JSON) -> [JSON: [String: JSON]] {
            var films = byMovie(entries)
            for correction in corrections.list {
                let (movie, field) = (correction["movieCode"], correction["field"].text ?? "")
                if field == "entry" {
                    films[movie] = if case .object(let fields) = correction["after"] { fields } else { nil }
                } else if films[movie]?[field] == correction["before"] {
                    films[movie]?[field] = correction["after"]
                }
            }
            return films
        }
    }
}
