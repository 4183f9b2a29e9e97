import Foundation
import JSONCoding
import Testing

@testable import BoxOffice

/// What is hard to believe of a chart, beside what is known of it and of the day before.
@Suite struct AnomalyTests {
    /// A chart of so many films, the first with `total` admissions so far; each day is unlike the others.
    private func chart(_ day: Int, lines: Int = 10, total: Int = 50_000, market: Market = .all) throws -> Chart {
        let entries = try plausibleEntries(of: day, lines: lines, total: total)
        let date = try #require(KoreanDate(year: 2024, month: 6, day: day))
        return Chart(date: date, market: market, state: .provisional, entries: entries)
    }

    @Test("charts as they come say nothing, and neither does the first that is known")
    func plausible() throws {
        #expect(try chart(4).anomalies(after: nil, dayBefore: nil) == [])
        #expect(try chart(4).anomalies(after: chart(4, total: 50_100), dayBefore: chart(3, total: 49_000)) == [])
        #expect(try chart(4).anomalies(after: chart(4, lines: 9), dayBefore: chart(3, lines: 8)) == [])
    }

    @Test("a movie's total that falls by more than any correction is told once, of the worst movie")
    func shrunk() throws {
        var less = try chart(4)
        less.entries[1].audienceTotal = 49_900
        less.entries[2].audienceTotal = 40_000
        for (earlier, dayBefore) in [(try chart(4), nil), (nil, try chart(3))] {
            let anomaly = try #require(less.anomalies(after: earlier, dayBefore: dayBefore).first)
            #expect(anomaly.kind == .shrunk)
            #expect(anomaly.movieCode?.description == "20240003")
            #expect(anomaly.expected == 50_002)
            #expect(anomaly.found == 40_000)
            #expect(
                anomaly.text
                    == "the chart of 2024-06-04 takes 10,002 from the admissions so far of 첫눈, which were 50,002")
        }
    }

    @Test("a movie on two lines is compared by the first of them")
    func twice() throws {
        var (before, twice) = (try chart(3), try chart(4))
        (before.entries[1].audienceTotal, twice.entries[1].audienceTotal) = (50_000, 50_000)
        (before.entries[4].movieCode, twice.entries[4].movieCode) =
            (before.entries[1].movieCode, twice.entries[1].movieCode)
        twice.entries[4].audienceTotal = 7
        #expect(twice.anomalies(after: nil, dayBefore: before) == [])
    }

    @Test("a field that cannot be read is an anomaly of its own for each chart")
    func unreadable() throws {
        let day = Sample.date("2024-06-04")
        let anomaly = Anomaly.unreadable(
            "list.showCnt", at: "list[3].showCnt", count: 2, in: "the chart", of: day, span: .weekend)
        #expect(anomaly.id == "anomaly.unreadable.2024-06-04.all.weekend.list.showCnt")
        #expect(anomaly.text == "the chart has 2 values that cannot be read and count as empty: list[3].showCnt")
        #expect(try JSON.decode(Anomaly.self, from: JSON.encode(anomaly)) == anomaly)
    }

    @Test("a total loses by a correction as much as was ever seen, and no more", arguments: [(100, 0), (101, 1)])
    func threshold(_ loss: Int, _ count: Int) throws {
        #expect(try chart(4, total: 50_000 - loss).anomalies(after: chart(4), dayBefore: nil).count == count)
    }

    @Test("totals that no number can tell apart are no reason to stop")
    func absurd() throws {
        #expect(try chart(4, total: .min).anomalies(after: chart(4, total: .max - 10), dayBefore: nil) == [])
    }

    @Test("fewer lines than before, or than the day before in the whole market, are missing")
    func missing() throws {
        let few = try chart(4, lines: 7)
        #expect(try few.anomalies(after: chart(4), dayBefore: nil).map(\.kind) == [.missing])
        let anomaly = try #require(few.anomalies(after: nil, dayBefore: chart(3)).first)
        #expect(anomaly.expected == 10)
        #expect(anomaly.found == 7)
        let market = Market(nation: .korean)
        #expect(try chart(4, lines: 7, market: market).anomalies(after: nil, dayBefore: chart(3, market: market)) == [])
    }

    @Test("ten equal lines, whatever their films, and the day before's figures are repeated")
    func repeated() throws {
        var equal = try chart(4)
        for line in equal.entries.indices {
            equal.entries[line].sales = 9
            equal.entries[line].audience = 1
            equal.entries[line].audienceTotal = 60_000
        }
        #expect(try equal.anomalies(after: nil, dayBefore: chart(3)).map(\.kind) == [.repeated])
        var again = try chart(3)
        again.date = again.date + 1
        #expect(
            try again.anomalies(after: nil, dayBefore: chart(3)).map(\.text) == [
                "the chart of 2024-06-04 has the same figures as that of the day before"
            ])
        #expect(try chart(4, lines: 1).anomalies(after: nil, dayBefore: nil) == [])
    }

    @Test("an anomaly has every field of the contract, and is the same for its kind, day and market")
    func encoding() throws {
        let date = try #require(KoreanDate("2024-06-04"))
        let anomaly = Anomaly.late(date, in: .all, at: "09:00")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try String(decoding: encoder.encode(anomaly), as: UTF8.self)
        #expect(
            text == #"{"date":"2024-06-04","expected":1,"found":0,"kind":"late","market":"all","movieCode":null,"#
                + #""text":"the chart of 2024-06-04 is not there at 09:00 of the day after it","title":null}"#)
        #expect(try JSONDecoder().decode(Anomaly.self, from: Data(text.utf8)) == anomaly)
        #expect(anomaly.id == "anomaly.late.2024-06-04.all")
    }
}
