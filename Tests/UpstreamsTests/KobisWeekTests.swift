import BoxOffice
import FoundationEssentials
import Networking
import TestSupport
import Testing

@testable import Upstreams

@Suite struct KobisWeekTests {
    private static let weekend = Week(of: Sample.date("2019-07-10"), span: .weekend)

    private func read(
        _ body: Data, of week: Week = weekend
    ) throws(UpstreamError) -> WeeklyFigures {
        try Sample.kobis.weeklyChart(week, market: .all).read(HTTPResponse(body: body)).value
    }

    private func body(_ range: String, lines: String...) -> Data {
        let list = lines.joined(separator: ",")
        return Data(
            #"{"boxOfficeResult":{"showRange":\#(range),"yearWeekTime":"201928","weeklyBoxOfficeList":[\#(list)]}}"#
                .utf8)
    }

    private let line = #"{"movieCd":"20240001","movieNm":"하나","salesChange":"-54.0","audiChange":"100.0"}"#

    @Test(
        "a week is requested by its first day, its span and its market",
        arguments: [
            (Week.Span.week, "20190708", "0"), (.weekend, "20190712", "1"), (.weekdays, "20190708", "2"),
        ])
    func request(span: Week.Span, first: String, weekGb: String) {
        let week = Week(of: Sample.date("2019-07-14"), span: span)
        let request = Sample.kobis.weeklyChart(week, market: Market(nation: .foreign, films: .diverse)).request
        #expect(request.url == "http://127.0.0.1:9/rest/boxoffice/searchWeeklyBoxOfficeList.json")
        let query = request.query.filter { !$0.isSecret }.map { "\($0.name)=\($0.value)" }
        #expect(query == ["targetDt=\(first)", "weekGb=\(weekGb)", "repNationCd=F", "multiMovieYn=Y"])
    }

    @Test("a zero decimal of a percentage makes no difference, and the week's number is the source's")
    func figures() throws {
        let figures = try read(body(#""20190712~20190714""#, lines: line))
        #expect(figures.yearWeek == "201928")
        #expect(figures.entries.map(\.salesChange) == [Percent(tenths: -540)])
        #expect(figures.entries.map(\.audienceChange) == [Percent(tenths: 1000)])
    }

    @Test(
        "the chart of other days is no answer",
        arguments: ["20190705~20190707", "20190712~20190712", "20190708~20190714"])
    func otherDays(range: String) throws {
        let error = try #require(throws: UpstreamError.self) { try read(body("\"\(range)\"", lines: line)) }
        #expect(error.kind == .invalid && error.field == "showRange")
        #expect(throws: Never.self) { try read(body("null", lines: line)) }
    }

    @Test("a list without entries is notPublished; a missing list is invalid; a broken field is named by its path")
    func faults() throws {
        let empty = try #require(throws: UpstreamError.self) { try read(body(#""20190712~20190714""#)) }
        #expect(empty.kind == .notPublished && empty.message.contains("2019-07-12 to 2019-07-14"))
        let daily = Data(#"{"boxOfficeResult":{"dailyBoxOfficeList":[]}}"#.utf8)
        let missing = try #require(throws: UpstreamError.self) { try read(daily) }
        #expect(missing.kind == .invalid && missing.field == "weeklyBoxOfficeList")
        let broken = #"{"movieCd":"20240002","movieNm":"둘","audiCnt":"x"}"#
        let invalid = try #require(throws: UpstreamError.self) { try read(body("null", lines: line, broken)) }
        #expect(invalid.kind == .invalid && invalid.field == "weeklyBoxOfficeList[1].audiCnt")
    }

    @Test(
        "recorded weekends are read",
        arguments: [("20111230-20120101", "201152", 1_007_683), ("20190712-20190714", "201928", nil)])
    func recorded(days: String, yearWeek: String, audience: Int?) throws {
        let week = Week(of: Sample.date(String(days.prefix(8))), span: .weekend)
        let figures = try read(Recorded.data("kobis/weekly/\(days).weekend.json"), of: week)
        #expect(figures.yearWeek == yearWeek)
        #expect(figures.entries.map(\.line) == Array(1...10))
        #expect(figures.entries.allSatisfy { $0.audienceChange != nil && $0.audienceTotal != nil })
        if let audience { #expect(figures.entries[0].audience == audience) }
    }
}
