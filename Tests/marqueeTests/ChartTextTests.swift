import BoxOffice
import Contract
import FoundationEssentials
import JSONCoding
import Notifier
import Testing
import Text

@testable import marquee

/// The text of a chart, a movie and an event. Tests have no terminal, so the text has no colours.
@Suite struct ChartTextTests {
    private func movie(_ line: Int, _ title: String, change: Int?, isNew: Bool = false) throws -> ChartEntry {
        var entry = ChartEntry(
            line: line, rank: line, rankChange: change, isNew: isNew,
            movieCode: try #require(MovieCode("2024000\(line)")), title: title)
        entry.audience = 12_345 / line
        entry.audienceTotal = 11_915_374
        return entry
    }

    private func chart(_ entries: [ChartEntry], market: Market = .all) throws -> Chart {
        Chart(date: try #require(KoreanDate("2024-06-04")), market: market, state: .provisional, entries: entries)
    }

    @Test("rank, movement, title and audience are in columns, and unknown values are question marks")
    func lines() throws {
        var last = try movie(4, "A", change: nil)
        last.rank = nil
        last.audience = nil
        let entries = [
            try movie(1, "파묘", change: 3), try movie(2, "첫눈", change: 0, isNew: true),
            try movie(3, "Wonka", change: -12),
            last,
        ]
        let lines = ChartText(chart: try chart(entries), in: .ko).lines(width: 40)
        #expect(
            lines == [
                "2024-06-04 일별 박스오피스 · 잠정",
                "순위  변동  영화명  관객수  누적관객수",
                "   1  ▲3    파묘    12,345  11,915,374",
                "   2  NEW   첫눈     6,172  11,915,374",
                "   3  ▼12   Wonka    4,115  11,915,374",
                "   ?  -     A            ?  11,915,374",
            ])
    }

    @Test("movies of one title in a chart are told apart")
    func namesakes() throws {
        var entries = [try movie(1, "괴물", change: 0), try movie(2, "괴물", change: 0), try movie(3, "Wonka", change: 0)]
        entries[0].openDate = KoreanDate("2023-11-29")
        entries[1].openDate = KoreanDate("2006-07-27")
        let lines = ChartText(chart: try chart(entries), in: .ko).lines(width: 60)
        #expect(lines[2].contains("괴물 (2023)") && lines[3].contains("괴물 (2006)") && lines[4].contains("Wonka  "))
    }

    @Test(
        "a wider terminal has more columns: change, share, gross, screens",
        arguments: [
            (44, "Total"), (52, "Change Total"), (59, "Change Total Share"), (73, "Change Total Gross Share"),
            (82, "Change Total Gross Share Screens"),
        ])
    func width(_ columns: Int, _ heads: String) throws {
        var entry = try movie(1, "파묘", change: 3)
        entry.audienceChange = Percent(tenths: 52)
        entry.salesShare = Percent(tenths: 162)
        entry.sales = 123_456_789
        entry.screens = 1_234
        let lines = ChartText(chart: try chart([entry]), in: .en).lines(width: columns)
        #expect(lines[0] == "Daily box office of 2024-06-04 · provisional")
        #expect(lines[1].split(separator: " ").dropFirst(4).joined(separator: " ") == heads, "\(lines)")
        #expect(lines.dropFirst().allSatisfy { $0.columns <= columns })
        let all = ChartText(chart: try chart([entry]), in: .en).lines(width: .max)
        #expect(all[2].hasSuffix("  +5.2%  11,915,374  ₩123,456,789  16.2%    1,234"))
    }

    @Test(
        "the language is that of the option, or of the locale",
        arguments: [
            (["x", "--language", "ko"], [:], Language.ko), (["x", "--language=en"], ["LANG": "ko_KR.UTF-8"], .en),
            (["x"], ["LANG": "ko_KR.UTF-8"], .ko), (["x"], ["LANG": "ko_KR.UTF-8", "LC_ALL": "C"], .en),
            (["x"], ["LC_ALL": "", "LC_MESSAGES": "ko"], .ko), (["x"], [:], .en),
        ])
    func language(_ words: [String], _ environment: [String: String], _ expected: Language) throws {
        var words = words
        #expect(try Language.taken(from: &words, environment: environment) == expected)
        #expect(words == ["x"])
    }

    @Test(
        "a language that there is not is an error", arguments: [["--language"], ["--language", "fr"], ["--language="]])
    func unknownLanguage(_ words: [String]) {
        #expect(throws: UsageError.self) {
            var words = words
            return try Language.taken(from: &words, environment: [:])
        }
    }

    @Test("the title has the market, the state and the revision")
    func title() throws {
        var chart = try chart([], market: Market(nation: .korean))
        chart.state = .settled
        chart.revision = 3
        #expect(ChartText(chart: chart, in: .ko).lines()[0] == "2024-06-04 일별 박스오피스 · 한국영화 · 확정 · 3차 집계")
    }

    @Test(
        "the title of a week has its days",
        arguments: [(Week.Span.week, "2024-06-03", "주간"), (.weekend, "2024-06-07", "주말")])
    func week(_ span: Week.Span, _ firstDay: String, _ name: String) throws {
        let week = Week(of: try #require(KoreanDate("2024-06-04")), span: span)
        var entry = try movie(1, "파묘", change: 3)
        entry.audienceChange = Percent(tenths: 52)
        let chart = WeekChart(week: week, yearWeek: nil, market: .all, state: .settled, entries: [entry])
        let lines = ChartText(chart, in: .ko).lines()
        #expect(lines[0] == "\(firstDay) ~ 2024-06-09 \(name) 박스오피스 · 확정")
        #expect(lines[1].contains("관객수  전주대비  누적관객수"))
    }

    @Test("a movie has a line for each known fact")
    func movie() throws {
        var movie = Movie(code: try #require(MovieCode("20240001")), title: "첫눈")
        movie.runtimeMinutes = 100
        movie.nations = (1...12).map { "나라\($0)" }
        let lines = MovieText(movie: movie, language: .ko).lines
        #expect(lines[0] == "첫눈 (20240001)")
        #expect(lines[1] == "상영시간  100분")
        #expect(lines[2].hasPrefix("제작국가  나라1, "))
        #expect(lines[2].hasSuffix("나라10 … (12)"))
        #expect(lines.count == 3)
    }

    @Test("in English a movie's names and the council's words are English where they are known")
    func englishMovie() throws {
        var movie = Movie(code: try #require(MovieCode("20240001")), title: "첫눈")
        movie.directors = [Movie.Director(name: "김하나", nameEnglish: "KIM Hana"), Movie.Director(name: "이둘")]
        movie.ratings = [Movie.Rating(grade: "15세이상관람가")]
        movie.nations = ["한국", "새나라"]
        movie.genres = ["공포(호러)"]
        let lines = MovieText(movie: movie, language: .en).lines.dropFirst()
        let facts = lines.map { $0.split(separator: " ", maxSplits: 1).map { $0.trimmingPrefix(while: { $0 == " " }) } }
        #expect(facts.map { String($0[1]) } == ["KIM Hana, 이둘", "15 and over", "South Korea, 새나라", "Horror"])
    }

    @Test("an event is one line, also if its data cannot be decoded")
    func eventLine() throws {
        let envelope =
            #"{"specversion":"1.0","id":"x","source":"/marquee/worker","type":"t","subject":"s","#
            + #""time":"2024-06-04T15:00:01.000Z","stream":"movie","epoch":"e","sequence":"0000000000000001","#
            + #""previous":"0000000000000000","data":"#
        func line(_ data: String) throws -> String {
            let topic = try #require(Topic("movie.20240001"))
            return EventFormatter(event: try Event(topic: topic, body: Array((envelope + data + "}").utf8))).text
        }
        let movie = Movie(code: try #require(MovieCode("20240001")), title: "첫눈")
        let data = String(decoding: try JSON.encode(movie), as: UTF8.self)
        #expect(try line(data) == "2024-06-05 00:00:01  movie.20240001  첫눈")
        #expect(try line("7") == "2024-06-05 00:00:01  movie.20240001  (cannot be read)")
    }
}
