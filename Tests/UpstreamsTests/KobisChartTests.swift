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
        (#"{"movieCd":"20240002","movieNm":"둘","rank":"10001"}"#, "rank"),
        (#"{"movieCd":"20240002","movieNm":"둘","rank":"0"}"#, "rank"),
        (#"{"movieCd":"20240002","movieNm":"둘","audiCnt":"-1"}"#, "audiCnt"),
        (#"{"movieCd":"2024","movieNm":"둘"}"#, "movieCd"),
        (#"{"movieCd":2024,"movieNm":"둘"}"#, "movieCd"),
        (#"{"movieCd":[],"movieNm":"둘"}"#, "movieCd"),
        (#"{"movieNm":"둘"}"#, "movieCd"),
        (#"{"movieCd":"20240002","movieNm":" "}"#, "movieNm"),
        (#"{"movieCd":"20240002"}"#, "movieNm"),
    ])
    func aBrokenRequiredFieldIsNamedByItsPath(line: String, field: String) {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(lines: Self.good, Self.good, line) }
        #expect(error?.kind == .invalid)
        #expect(error?.field == "dailyBoxOfficeList[2].\(field)")
        #expect(error?.isTransient == false)
    }

    @Test(
        "An optional field that cannot be read is nil and named, and costs neither the line nor the chart",
        arguments: [
            (#""audiAcc":"9223372036854775807""#, "audiAcc"), (#""rankInten":"-9223372036854775808""#, "rankInten"),
            (#""salesShare":"16.25""#, "salesShare"), (#""rnum":"first""#, "rnum"), (#""openDt":"soon""#, "openDt"),
            (#""audiAcc":"-1""#, "audiAcc"), (#""scrnCnt":-1"#, "scrnCnt"), (#""salesAcc":"-1""#, "salesAcc"),
            (#""rnum":"-3""#, "rnum"), (#""showCnt":[]"#, "showCnt"), (#""rankOldAndNew":7"#, "rankOldAndNew"),
            (#""salesAmt":"1원""#, "salesAmt"),
        ])
    func unreadable(member: String, field: String) throws {
        let line = #"{"movieCd":"20240002","movieNm":"둘","rank":"2",\#(member)}"#
        let last = #"{"movieCd":"20240003","movieNm":"셋",\#(member)}"#
        let reading = try Sample.reading(lines: [Self.good, line, last])
        #expect(reading.value.map(\.line) == [1, 2, 3])
        #expect(
            reading.value[1]
                == ChartEntry(
                    line: 2, rank: 2, rankChange: nil, isNew: false, movieCode: Sample.code("20240002"), title: "둘"))
        let found = try #require(reading.unreadable.first)
        #expect(reading.unreadable.count == 1 && found.count == 2)
        #expect(found.name == "dailyBoxOfficeList.\(field)")
        #expect(found.path == "dailyBoxOfficeList[1].\(field)")
    }

    @Test("Lines that are counted from 0 are numbered from 1")
    func linesFromZero() throws {
        let lines = (0..<3).map { #"{"rnum":"\#($0)","rank":"\#($0 + 1)","movieCd":"2024000\#($0)","movieNm":"하나"}"# }
        let reading = try Sample.reading(lines: lines)
        #expect(reading.value.map(\.line) == [1, 2, 3])
        #expect(reading.unreadable.map(\.name) == ["dailyBoxOfficeList.rnum"])
    }

    @Test("A line that is sent twice is one line, and lines of one number are numbered in their order")
    func linesThatAreNotUnique() throws {
        let (first, second) = (
            #"{"rnum":"1","movieCd":"20240001","movieNm":"하나"}"#, #"{"rnum":"1","movieCd":"20240002","movieNm":"둘"}"#
        )
        #expect(try Sample.chart(lines: first, first).map(\.line) == [1])
        let entries = try Sample.chart(lines: first, second, first)
        #expect(entries.map(\.line) == [1, 2])
        #expect(entries.map(\.title) == ["하나", "둘"])
        let again = #"{"rnum":"2","movieCd":"20240001","movieNm":"하나"}"#
        #expect(try Sample.chart(lines: first, again).map(\.movieCode.description) == ["20240001", "20240001"])
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
        (#"" ""#, true), ("null", true), (#""20240604 ~ 20240604""#, true), (#""2024-06-04~2024-06-04""#, true),
        (#""2024-06-03 ~ 2024-06-04""#, false), (#""어제""#, true),
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

    @Test("A movie's code can have blanks around it, and a code and a title can be numbers")
    func numbers() throws {
        let entries = try Sample.chart(
            lines: #"{"movieCd":" 20240001\t","movieNm":"하나"}"#, #"{"movieCd":20240002,"movieNm":1917}"#)
        #expect(entries.map(\.movieCode.description) == ["20240001", "20240002"])
        #expect(entries.map(\.title) == ["하나", "1917"])
    }

    @Test func aListWithoutEntriesIsNotPublished() {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(lines: "") }
        #expect(error?.kind == .notPublished)
        #expect(error?.isTransient == false)
    }
}
