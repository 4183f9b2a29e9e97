import BoxOffice
import FoundationEssentials
import JSONCoding
import Notifier
import Testing
import Text

@testable import Contract
@testable import EventStore
@testable import marquee

/// The history of a movie and of a chart as tables and as CSV.
@Suite struct HistoryTests {
    private func entry(_ title: String = "파묘", line: Int = 1, audience: Int?, change: Int = 0) throws -> ChartEntry {
        var entry = ChartEntry(
            line: line, rank: line, rankChange: change, isNew: false, movieCode: try #require(MovieCode("2024000A")),
            title: title)
        entry.audience = audience
        entry.audienceTotal = 1_000_000
        return entry
    }

    /// Returns a chart event that the log received at 00:30 in Korea.
    private func revision(_ date: String, _ entries: [ChartEntry], after earlier: Chart? = nil) throws -> ChartRevision
    {
        let date = try #require(KoreanDate(date))
        var chart = Chart(date: date, market: .all, state: .provisional, entries: entries)
        if let earlier { chart = try #require(chart.revised(from: earlier)) }
        let envelope = """
            {"specversion":"1.0","id":"x","source":"/marquee/worker","type":"t","subject":"s",\
            "time":"\(Timestamp.text((date + 1).start + 1800.123))","stream":"ranking","epoch":"e",\
            "sequence":"0000000000000001","previous":"0000000000000000","data":
            """
        let topic = Topic.ranking(day: date, market: .all)
        let sequence = try #require(SequenceNumber(1))
        let body = Array(envelope.utf8) + chart.json + Array("}".utf8)
        return try ChartRevision(LoggedEvent(topic: topic, sequence: sequence, body: body))
    }

    private func days() throws -> [ChartAppearance] {
        try [("2024-02-22", 80_000, 2), ("2024-02-23", 160_000, -1), ("2024-03-01", 1, 0)].map {
            date, audience, change in
            let entry = try entry(audience: audience, change: change)
            return ChartAppearance(revision: try revision(date, [entry]), entry: entry)
        }
    }

    @Test("figures at the edges of a number are shown as unknown")
    func edges() throws {
        let revision = try revision("2024-02-22", [try entry(audience: .max, change: .min)])
        let day = ChartAppearance(revision: revision, entry: try #require(revision.chart.entries.first))
        let lines = MovieHistoryTable(days: [day], language: .ko).lines
        #expect(lines.last == "2024-02-22     1  -          ?   1,000,000")
        #expect(ChartText(chart: revision.chart, in: .ko).lines(width: 80).count == 3)
    }

    @Test("the table has a row for each day")
    func plain() throws {
        let lines = MovieHistoryTable(days: try days(), language: .ko).lines
        #expect(lines.count == 5)
        #expect(lines[0] == "파묘 (2024000A) · 2024-02-22 ~ 2024-03-01 · 3일")
        #expect(lines[1] == "날짜        순위  변동   관객수  누적관객수")
        #expect(lines[4] == "2024-03-01     1  -           1   1,000,000")
    }

    @Test("the revisions have their time and their corrections")
    func revisions() throws {
        let first = try revision("2024-06-04", [try entry(audience: 12_345)])
        let second = try revision(
            "2024-06-04", [try entry(audience: 12_340), try entry("듄", line: 2, audience: nil)], after: first.chart)
        let lines = RevisionTable(revisions: [first, second], language: .ko).lines
        #expect(lines[1].hasPrefix("   1  2024-06-05 00:30:00  잠정  -"))
        #expect(lines[2].hasPrefix("   2  2024-06-05 00:30:00  잠정  "))
        #expect(lines.contains { $0.contains("관객수") && $0.contains("12,345 → 12,340") })
    }

    @Test("a CSV row has the fields of a line, quotes separators, and is no formula")
    func csv() throws {
        var entry = try entry("쉼표, \"따옴표\u{301}\"와\r\n줄", audience: 7)
        entry.salesShare = Percent(tenths: 162)
        let rows = ChartCSV.rows(of: try revision("2024-06-04", [entry, try self.entry(audience: nil)]))
        #expect(
            ChartCSV.head.hasPrefix("date,market,state,revision,learnt,line,rank,rankChange,isNew,movieCode,title,"))
        #expect(
            rows[0] == "2024-06-04,all,provisional,1,2024-06-04T15:30:00.123Z,1,1,0,false,2024000A,"
                + "\"쉼표, \"\"따옴표\u{301}\"\"와\r\n줄\",,,16.2,,,,7,,,1000000,,")
        #expect(rows[1].hasSuffix(",2024000A,파묘,,,,,,,,,,1000000,,"))
        let formula = try self.entry("＝1+1", audience: 7, change: -1)
        #expect(
            ChartCSV.rows(of: try revision("2024-06-04", [formula]))[0].contains(",1,1,-1,false,2024000A,'＝1+1,"))
        #expect(ChartCSV.head.split(separator: ",").count == 23)
    }
}
