import BoxOffice
import Contract

@testable import Worker

extension Sample {
    /// A chart of one film with so many admissions.
    static func chart(_ audience: Int, _ state: Chart.State = .provisional) -> Chart {
        var entry = ChartEntry(
            line: 1, rank: 1, rankChange: 0, isNew: false, movieCode: code("20240001"), title: "첫눈")
        entry.audience = audience
        return Chart(date: day, market: .all, state: state, entries: [entry])
    }

    /// What an upstream said of a chart of one film with so many admissions.
    static func result(_ audience: Int, _ state: Chart.State = .provisional) -> FetchResult {
        FetchResult(fetched: [.chart(chart(audience, state))], source: .upstream)
    }

    /// KOBIS's answer with a chart of one film with so many admissions.
    static func answer(_ audience: Int) -> String {
        let line =
            #"{"rnum":"1","rank":"1","rankInten":"0","rankOldAndNew":"OLD","movieCd":"20240001","#
            + #""movieNm":"첫눈","audiCnt":"\#(audience)"}"#
        return #"{"boxOfficeResult":{"dailyBoxOfficeList":[\#(line)]}}"#
    }
}
