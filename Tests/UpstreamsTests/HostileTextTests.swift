import BoxOffice
import Networking
import Testing

@testable import Upstreams

/// An upstream can send any text; control characters in it must not reach events, logs and terminals.
@Suite struct HostileTextTests {
    @Test(
        "A control character in a text becomes a blank, and at its end is removed; invisible marks are removed",
        arguments: [
            (#"\u001b[2J가\u0007"#, "[2J가"), (#"가\r\n나"#, "가  나"), (#"가\u0000나"#, "가 나"), (#"\u009b31m가"#, "31m가"),
            (#"\u202egpj.exe"#, "gpj.exe"), (#"파\u200b묘\ufeff"#, "파묘"), (#"\u2067가\u2069\u061c"#, "가"),
            (#"👧 \u0645\u200d"#, "👧 \u{645}"),
        ])
    func controls(sent: String, read: String) throws {
        let entries = try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"\#(sent)"}"#)
        #expect(entries.map(\.title) == [read])
        let movie = try Sample.movie(
            "20240001", info: #"{"movieCd":"20240001","movieNm":"가","movieNmEn":"\#(sent)"}"#)
        #expect(movie.titleEnglish == read)
    }

    @Test("A text of megabytes and a chart of thousands of lines are unreadable")
    func large() throws {
        let text = "가" + String(repeating: "\u{301}", count: 400_000)
        let title = #expect(throws: UpstreamError.self) {
            try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"\#(text)"}"#)
        }
        #expect(title?.field == "dailyBoxOfficeList[0].movieNm")
        let movie = try Sample.reading(
            "20240001", info: #"{"movieCd":"20240001","movieNm":"가","movieNmEn":"\#(text)"}"#)
        #expect(movie.value.titleEnglish == nil)
        #expect(movie.unreadable.map(\.path) == ["movieInfo.movieNmEn"])
        let line = #"{"movieCd":"20240001","movieNm":"가"}"#
        let lines = Array(repeating: line, count: 101).joined(separator: ",")
        let chart = #expect(throws: UpstreamError.self) { try Sample.chart(lines: lines) }
        #expect(chart?.field == "dailyBoxOfficeList")
    }

    @Test("A text of control characters alone is nil")
    func nothing() throws {
        let movie = try Sample.movie(
            "20240001", info: #"{"movieCd":"20240001","movieNm":"가","movieNmEn":"\u001b\u0000"}"#)
        #expect(movie.titleEnglish == nil)
        #expect(throws: UpstreamError.self) { try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"\u0007"}"#) }
    }

    @Test(
        "Error messages and unreadable values are shown without control characters",
        arguments: [
            #"{"faultInfo":{"message":"\u001b[2J","errorCode":"\u001b[31m"}}"#,
            #"{"boxOfficeResult":{"dailyBoxOfficeList":[{"movieCd":"20240001","movieNm":"가","audiCnt":"\u001b[2J"}]}}"#,
            #"{"boxOfficeResult":{"dailyBoxOfficeList":[{"movieCd":"\u001b[2J","movieNm":"가"}]}}"#,
        ])
    func messages(body: String) {
        let error = #expect(throws: UpstreamError.self) { try Sample.chart(Sample.response(body).body) }
        #expect(error?.message.unicodeScalars.contains { $0.properties.generalCategory == .control } == false)
        #expect(error?.code?.contains("\u{1B}") != true)
    }

    @Test("A number that is neither number nor text has an error message", arguments: ["true", "[]", "{}"])
    func reason(value: String) {
        let error = #expect(throws: UpstreamError.self) {
            try Sample.chart(lines: #"{"movieCd":"20240001","movieNm":"가","audiCnt":\#(value)}"#)
        }
        #expect(error?.field == "dailyBoxOfficeList[0].audiCnt")
        #expect(error?.message.isEmpty == false)
    }

    @Test("Kakao's messages are shown without control characters")
    func kakao() {
        let body = #"{"errorType":"Odd\u001b[2J","message":"no\u0007"}"#
        let error = #expect(throws: UpstreamError.self) {
            try Sample.kakao.images(query: "가").read(Sample.response(body, status: 400))
        }
        #expect(error?.message == "the service answered with the error Odd [2J: no")
    }
}
