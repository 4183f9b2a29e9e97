import Foundation
import JSONCoding
import Testing

@testable import BoxOffice

@Suite struct ChartWritingTests {
    @Test("a chart writes the bytes that Foundation's encoder writes, whatever its titles and figures hold")
    func bytes() throws {
        let titles = [
            "파묘", "a/b", #"q"u\o"#, "tab\tnew\nline\r\u{8}\u{c}", "\u{1}\u{1f}\u{7f}\u{2028}", "🎬 e\u{301}", "",
        ]
        for (number, title) in titles.enumerated() {
            var chart = try chart(title: title, tenths: [-75, 0, 980, 277, -5, 5, 100_000][number])
            try expectSame(chart)
            chart.corrections = []
            try expectSame(chart)
        }
    }

    @Test("so do its corrections, of fields of every kind and of whole lines")
    func corrections() throws {
        let earlier = try chart(title: "하나", tenths: 10)
        var later = try chart(title: "둘", tenths: -123)
        later.state = .settled
        later.entries[0].openDate = nil
        later.entries[0].isNew = true
        later.entries[0].audience = nil
        later.entries[0].salesTotal = -1
        later.entries.append(try entry(line: 2, code: "2022B512", title: "셋", tenths: 1))
        try expectSame(try #require(later.revised(from: earlier)))
        try expectSame(try #require(earlier.revised(from: later)))
    }

    @Test("a chart in a filtered market, without figures, and without lines")
    func sparse() throws {
        let market = Market(nation: .korean, films: .diverse, area: Market.Area("0105001"))
        let code = try #require(MovieCode("20234675"))
        let bare = ChartEntry(line: 1, rank: nil, rankChange: nil, isNew: false, movieCode: code, title: "x")
        try expectSame(Chart(date: .firstChart, market: market, state: .provisional, entries: [bare]))
        try expectSame(Chart(date: .firstChart, market: .all, state: .settled, entries: []))
    }

    private func expectSame(_ chart: Chart) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let foundation = String(decoding: try encoder.encode(EncodableChart(chart: chart)), as: UTF8.self)
        #expect(String(decoding: chart.json, as: UTF8.self) == foundation)
    }

    private func chart(title: String, tenths: Int) throws -> Chart {
        let entry = try entry(line: 1, code: "20234675", title: title, tenths: tenths)
        return Chart(date: try #require(KoreanDate("2024-06-04")), market: .all, state: .provisional, entries: [entry])
    }

    private func entry(line: Int, code: String, title: String, tenths: Int) throws -> ChartEntry {
        var entry = ChartEntry(
            line: line, rank: 1, rankChange: -2, isNew: false, movieCode: try #require(MovieCode(code)), title: title)
        entry.openDate = KoreanDate("2024-02-22")
        (entry.sales, entry.salesDelta, entry.salesTotal) = (264_355_728, -21_557_718, 11_463_580_547)
        (entry.salesShare, entry.salesChange) = (Percent(tenths: tenths), Percent(tenths: -tenths))
        (entry.audience, entry.audienceDelta, entry.audienceTotal) = (26_374, 0, 1_105_780)
        entry.audienceChange = Percent(tenths: tenths)
        (entry.screens, entry.showings) = (1263, 3588)
        return entry
    }
}
