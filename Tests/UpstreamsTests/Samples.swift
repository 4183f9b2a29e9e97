import BoxOffice
import FoundationEssentials
import Networking

@testable import Upstreams

/// Invented requests and responses for tests.
enum Sample {
    /// 15:00 in Korea: nine hours before the end of the day.
    static let afternoon = date("2026-11-21").start.addingTimeInterval(15 * 3600)
    static let kobis = Kobis(url: "http://127.0.0.1:9/rest", key: "0123456789abcdef") { afternoon }
    static let kakao = KakaoImageSearch(url: "http://127.0.0.1:9", key: "fedcba9876543210") { afternoon }

    static func code(_ text: String) -> MovieCode {
        guard let code = MovieCode(text) else { preconditionFailure("\(text) is no movie code") }
        return code
    }

    static func date(_ text: String) -> KoreanDate {
        guard let date = KoreanDate(text) else { preconditionFailure("\(text) is no day of the calendar") }
        return date
    }

    static func response(_ text: String, status: Int = 200, headers: [HTTPField] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
    }

    /// Returns the entries that the chart endpoint reads from a body, requested for `day` or else for the body's own
    /// day.
    static func chart(_ body: Data, of day: String? = nil) throws(UpstreamError) -> [ChartEntry] {
        try reading(body, of: day).value
    }

    /// As `chart`, with the fields that could not be read.
    static func reading(_ body: Data, of day: String? = nil) throws(UpstreamError) -> Reading<[ChartEntry]> {
        let text = String(decoding: body, as: UTF8.self)
        let own = text.firstRange(of: #""showRange":""#).map { String(text[$0.upperBound...].prefix(8)) }
        return try kobis.dailyChart(date(day ?? own ?? "2024-06-04"), market: .all).read(HTTPResponse(body: body))
    }

    /// Returns the entries that the chart endpoint reads from entries in JSON.
    static func chart(lines: String...) throws(UpstreamError) -> [ChartEntry] {
        try reading(lines: lines).value
    }

    /// As `chart`, with the fields that could not be read.
    static func reading(lines: [String]) throws(UpstreamError) -> Reading<[ChartEntry]> {
        let list = lines.joined(separator: ",")
        return try reading(Data(#"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(list)]}}"#.utf8))
    }

    /// Returns the movie that the movie endpoint reads from a body, requested for `code`.
    static func movie(_ code: String, _ body: Data) throws(UpstreamError) -> Movie {
        try reading(code, body).value
    }

    /// As `movie`, with the fields that could not be read.
    static func reading(_ code: String, _ body: Data) throws(UpstreamError) -> Reading<Movie> {
        try kobis.movie(Self.code(code)).read(HTTPResponse(body: body))
    }

    /// Returns the movie that the movie endpoint reads from a movie in JSON.
    static func movie(_ code: String, info: String) throws(UpstreamError) -> Movie {
        try reading(code, info: info).value
    }

    /// As `movie`, with the fields that could not be read.
    static func reading(_ code: String, info: String) throws(UpstreamError) -> Reading<Movie> {
        try reading(code, Data(#"{"movieInfoResult":{"movieInfo":\#(info),"source":"영화진흥위원회"}}"#.utf8))
    }
}
