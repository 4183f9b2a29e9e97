import BoxOffice
import Contract

@testable import Worker

/// Made-up values for tests.
enum Sample {
    static let day = date("2024-06-04")
    static let chart = Request(.day(day, .all))
    /// The same with `refresh`, which the log does not answer.
    static let newChart = Request(.day(day, .all), refresh: true)

    static func date(_ text: String) -> KoreanDate {
        guard let date = KoreanDate(text) else { preconditionFailure("\(text) is not a day of the calendar") }
        return date
    }

    static func code(_ text: String) -> MovieCode {
        guard let code = MovieCode(text) else { preconditionFailure("\(text) is not a movie code") }
        return code
    }

    static func id(_ text: String) -> RequestID {
        guard let id = RequestID(text) else { preconditionFailure("\(text) is not an id") }
        return id
    }
}
extension Sample {
    /// Makes a chart of one movie with this audience.
    static func chart(_ audience: Int, _ state: Chart.State = .provisional) -> Chart {
        var entry = ChartEntry(
            line: 1, rank: 1, rankChange: 0, isNew: false, movieCode: code("20240001"), title: "첫눈")
        entry.audience = audience
        return Chart(date: day, market: .all, state: state, entries: [entry])
    }

    /// Makes the result of fetching a chart of one movie with this audience.
    static func result(_ audience: Int, _ state: Chart.State = .provisional) -> FetchResult {
        FetchResult(fetched: [.chart(chart(audience, state))], source: .upstream)
    }

    /// Returns KOBIS's answer with a chart of one movie with this audience.
    static func answer(_ audience: Int) -> String {
        let line =
            #"{"rnum":"1","rank":"1","rankInten":"0","rankOldAndNew":"OLD","movieCd":"20240001","#
            + #""movieNm":"첫눈","audiCnt":"\#(audience)"}"#
        return #"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#
    }
}
