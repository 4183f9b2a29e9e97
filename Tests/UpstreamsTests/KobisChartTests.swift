import BoxOffice
import FoundationEssentials
import Networking
import Testing

@testable import Upstreams

@Suite struct KobisChartTests {
    private static let line = """
        {"rnum":"2","rank":"1","rankInten":"3","rankOldAndNew":"OLD","movieCd":"2022B512","movieNm":" 바람의 끝\\t",\
        "openDt":"2024-05-29","salesAmt":"190532469","salesShare":"20.0","salesInten":"-26524928","salesChange":"98",\
        "salesAcc":"13090833414","audiCnt":"21533","audiInten":"0","audiChange":"-7.5","audiAcc":"411668",\
        "scrnCnt":"996","showCnt":"3663"}
        """

    @Test func everyFieldIsRead() throws {
        var entry = ChartEntry(
            line: 2, rank: 1, rankChange: 3, isNew: false, movieCode: Sample.code("2022B512"), title: "바람의 끝")
        entry.openDate = Sample.date("2024-05-29")
        entry.sales = 190_532_469
        entry.salesShare = Percent(tenths: 200)
        entry.salesDelta = -26_524_928
        entry.salesChange = Percent(tenths: 980)
        entry.salesTotal = 13_090_833_414
        entry.audience = 21_533
        entry.audienceDelta = 0
        entry.audienceChange = Percent(tenths: -75)
        entry.audienceTotal = 411_668
        entry.screens = 996
        entry.showings = 3663
        #expect(try Sample.chart(lines: Self.line) == [entry])
    }

    @Test func blankAndMissingFieldsAreNilAndTheLineIsThePosition() throws {
        let blank = #"""
            {"rnum":"","rank":" ","rankOldAndNew":"NEW","movieCd":"20240002","movieNm":"둘","openDt":" ","salesAmt":"-"}
            """#
        let entries = try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"하나"}"#, blank)
        #expect(
            entries == [
                ChartEntry(
                    line: 1, rank: nil, rankChange: nil, isNew: false, movieCode: Sample.code("20240001"), title: "하나"),
                ChartEntry(
                    line: 2, rank: nil, rankChange: nil, isNew: true, movieCode: Sample.code("20240002"), title: "둘"),
            ])
    }

    @Test func entriesKeepTheSourcesOrderAndRanksCanBeTied() throws {
        let entries = try Sample.chart(
            lines: #"{"rnum":"8","rank":"7","movieCd":"20240008","movieNm":"여덟"}"#,
            #"{"rnum":"7","rank":"7","movieCd":"20240007","movieNm":"일곱"}"#)
        #expect(entries.map(\.line) == [8, 7])
        #expect(entries.map(\.rank) == [7, 7])
    }

    @Test(arguments: [
        "가 나", " 가 나", "가 나 ", "가 나\\t", "\\u00a0가 나\\u00a0", "\\u3000가 나\\r\\n", " \\u00a0\\t가 나",
    ])
    func titlesAreTrimmed(title: String) throws {
        #expect(try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"\#(title)"}"#).first?.title == "가 나")
    }

    @Test(arguments: ["", " ", "19620000", "2024-02-30", "2024"])
    func anInvalidOpeningDayIsNil(openDt: String) throws {
        let line = #"{"movieCd":"20240001","movieNm":"하나","openDt":"\#(openDt)"}"#
        #expect(try Sample.chart(lines: line).first?.openDate == nil)
    }

    private static let good = #"{"movieCd":"20240001","movieNm":"하나"}"#

    @Test(arguments: [
        (#"{"movieCd":"20240002","movieNm":"둘","audiCnt":"12a"}"#, "audiCnt"),
        (#"{"movieCd":"20240002","movieNm":"둘","audiAcc":"9223372036854775807"}"#, "audiAcc"),
        (#"{"movieCd":"20240002","movieNm":"둘","rankInten":"-9223372036854775808"}"#, "rankInten"),
        (#"{"movieCd":"20240002","movieNm":"둘","rank":"10001"}"#, "rank"),
        (#"{"movieCd":"20240002","movieNm":"둘","salesShare":"16.25"}"#, "salesShare"),
        (#"{"movieCd":"20240002","movieNm":"둘","rnum":"first"}"#, "rnum"),
        (#"{"movieCd":"20240002","movieNm":"둘","openDt":"soon"}"#, "openDt"),
        (#"{"movieCd":"20240002","movieNm":"둘","showCnt":[]}"#, "showCnt"),
        (#"{"movieCd":"2024","movieNm":"둘"}"#, "movieCd"),
        (#"{"movieCd":20240002,"movieNm":"둘"}"#, "movieCd"),
        (#"{"movieNm":"둘"}"#, "movieCd"),
        (#"{"movieCd":"20240002","movieNm":" "}"#, "movieNm"),
        (#"{"movieCd":"20240002"}"#, "movieNm"),
    ])
    func aBrokenFieldIsNamedByItsPath(line: String, field: String) {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(lines: Self.good, Self.good, line) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == "dailyBoxOfficeList[2].\(field)")
        #expect(error?.isTransient == false)
    }

    @Test(arguments: [
        ("{}", "boxOfficeResult"), (#"{"boxOfficeResult":{}}"#, "dailyBoxOfficeList"),
        (#"{"boxOfficeResult":{"dailyBoxOfficeList":null}}"#, "dailyBoxOfficeList"), ("[]", nil), ("", nil),
        (#"{"boxOfficeResult":{"dailyBoxOff"#, nil),
    ])
    func aBodyWithoutAChartIsInvalid(body: String, field: String?) {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(Data(body.utf8)) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == field)
    }

    @Test(arguments: [
        (#""20240604~20240604""#, true), (#""20240603~20240603""#, false), (#""20240603~20240604""#, false),
        (#"" ""#, true), ("null", true),
    ])
    func theChartOfAnotherDayIsInvalid(showRange: String, isAnswer: Bool) {
        let body = #"{"boxOfficeResult":{"showRange":\#(showRange),"dailyBoxOfficeList":[\#(Self.good)]}}"#
        guard !isAnswer else {
            #expect(throws: Never.self) { try Sample.chart(Data(body.utf8), of: "2024-06-04") }
            return
        }
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(Data(body.utf8), of: "2024-06-04") }
        #expect(error?.kind == .invalid)
        #expect(error?.field == "showRange")
    }

    @Test func aListWithoutEntriesIsNotPublished() {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(lines: "") }
        #expect(error?.kind == .notPublished)
        #expect(error?.isTransient == false)
    }
}
