import Testing

@testable import BoxOffice

/// What is hard to believe of a week's chart, beside what is known of it and of the week before.
@Suite struct WeekAnomalyTests {
    /// The chart of a weekend of June 2024; each week is unlike the others.
    private func chart(_ day: Int, lines: Int = 10, total: Int = 50_000, market: Market = .all) throws -> WeekChart {
        let date = try #require(KoreanDate(year: 2024, month: 6, day: day))
        let entries = try plausibleEntries(of: day, lines: lines, total: total)
        return WeekChart(
            week: Week(of: date, span: .weekend), yearWeek: nil, market: market, state: .provisional, entries: entries)
    }

    @Test("weeks as they come say nothing")
    func plausible() throws {
        #expect(try chart(14).anomalies(after: nil, weekBefore: nil) == [])
        #expect(try chart(14).anomalies(after: chart(14, total: 50_100), weekBefore: chart(7, total: 40_000)) == [])
    }

    @Test("a total that falls by more than a correction, below that of the week before as well, is told of its week")
    func shrunk() throws {
        for (earlier, before) in [(try chart(14), nil), (nil, try chart(7))] {
            let anomaly = try #require(chart(14, total: 49_800).anomalies(after: earlier, weekBefore: before).first)
            #expect(anomaly.kind == .shrunk && anomaly.span == .weekend && anomaly.expected == 50_000)
            #expect(anomaly.id == "anomaly.shrunk.2024-06-14.all.weekend")
            #expect(
                anomaly.text
                    == "the weekend chart of 2024-06-14~2024-06-16 takes 200 from the admissions so far of 첫눈, which were 50,000"
            )
        }
        #expect(try chart(14, total: 49_900).anomalies(after: nil, weekBefore: chart(7)) == [])
    }

    @Test("equal rows, the figures of the week before, and fewer lines than it has are told")
    func repeatedAndMissing() throws {
        var same = try chart(14)
        same.chart.entries = same.chart.entries.map { entry in
            var entry = entry
            (entry.sales, entry.audience, entry.audienceTotal) = (1, 2, 3)
            return entry
        }
        #expect(same.anomalies(after: nil, weekBefore: nil).map(\.kind) == [.repeated])
        var copy = try chart(7)
        copy.week = Week(of: copy.week.firstDay + 7, span: .weekend)
        let repeated = try #require(copy.anomalies(after: nil, weekBefore: chart(7)).first)
        #expect(repeated.text.hasSuffix("has the same figures as that of the week before"))
        let few = try chart(14, lines: 9)
        #expect(try few.anomalies(after: nil, weekBefore: chart(7)).map(\.kind) == [.missing])
        let small = try chart(14, lines: 9, market: Market(nation: .korean))
        #expect(try small.anomalies(after: nil, weekBefore: chart(7, market: Market(nation: .korean))) == [])
    }
}
