import BoxOffice
import Contract
import FoundationEssentials
import TestSupport
import Testing

@testable import Notifier

extension ChartEntry {
    /// A line; its movie's code is the title's first character, repeated.
    static func movie(
        _ title: String, line: Int, rank: Int? = nil, change: Int? = 0, isNew: Bool = false
    ) throws -> ChartEntry {
        let code = try #require(MovieCode(String(repeating: String(title.prefix(1)), count: 8)))
        return ChartEntry(
            line: line, rank: rank ?? line, rankChange: change, isNew: isNew, movieCode: code, title: title)
    }
}

extension SourcedChart {
    /// A chart of a day, counted from the last of May 2024, logged under the given number.
    static func june(_ day: Int, _ entries: [ChartEntry], market: Market = .all, number: Int = 1) throws -> SourcedChart
    {
        let date = try #require(KoreanDate(year: 2024, month: 5, day: 31)) + day
        return SourcedChart(
            chart: Chart(date: date, market: market, state: .provisional, entries: entries),
            evidence: Alert.Evidence(stream: .ranking, sequence: try #require(SequenceNumber(UInt64(number)))))
    }
}

extension AlertRules {
    /// What fires for a day when nothing is known but its chart and the one of the day before.
    func alerts(for day: SourcedChart, before: SourcedChart?) -> [Alert] {
        var state = AlertState(rules: self)
        if let before { state.applyBaseline(before) }
        return state.apply(day)
    }
}

extension AlertState {
    /// Decides all days of history.
    mutating func decideHistory() -> [Alert] {
        defer { endHistory() }
        return decideHistory(of: historyDays[...]).map(\.alert)
    }
}

/// Recorded charts, read just far enough for the rules.
enum RecordedCharts {
    private struct Response: Decodable {
        struct Result: Decodable {
            var showRange: String
            var dailyBoxOfficeList: [Line]
        }
        struct Line: Decodable {
            var rnum, rank, rankInten, rankOldAndNew, movieCd, movieNm, audiCnt, audiAcc, scrnCnt, openDt: String
        }
        var boxOfficeResult: Result
    }

    /// All days of 2024 that are recorded, in order.
    static func of2024() throws -> [SourcedChart] {
        try Recorded.files(in: "kobis/daily-2024").flatMap { try Recorded.lines($0) }.enumerated().map { index, line in
            let result = try JSONDecoder().decode(Response.self, from: line).boxOfficeResult
            let entries = try result.dailyBoxOfficeList.map { line in
                var entry = ChartEntry(
                    line: try #require(Int(line.rnum)), rank: Int(line.rank),
                    rankChange: Int(line.rankInten), isNew: line.rankOldAndNew == "NEW",
                    movieCode: try #require(MovieCode(line.movieCd)), title: line.movieNm)
                entry.audience = Int(line.audiCnt)
                entry.audienceTotal = Int(line.audiAcc)
                entry.screens = Int(line.scrnCnt)
                entry.openDate = KoreanDate(line.openDt)
                return entry
            }
            return SourcedChart(
                chart: Chart(
                    date: try #require(KoreanDate(result.showRange.prefix(8))), market: .all, state: .settled,
                    entries: entries),
                evidence: Alert.Evidence(stream: .ranking, sequence: try #require(SequenceNumber(UInt64(index + 1)))))
        }
    }
}
