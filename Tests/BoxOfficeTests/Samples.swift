@testable import BoxOffice

/// Made-up values for tests.
enum Sample {
    static func code(_ text: String) -> MovieCode {
        guard let code = MovieCode(text) else { preconditionFailure("\(text) is no movie code") }
        return code
    }

    static func date(_ text: String) -> KoreanDate {
        guard let date = KoreanDate(text) else { preconditionFailure("\(text) is no day of the calendar") }
        return date
    }

    /// A line on which the source has filled in everything.
    static var entry: ChartEntry {
        var entry = ChartEntry(
            line: 2, rank: 1, rankChange: 3, isNew: false, movieCode: code("2022B512"), title: "바람의 \"끝\"/2부")
        entry.openDate = date("2024-05-29")
        entry.sales = 190_532_469
        entry.salesShare = Percent(tenths: 200)
        entry.salesDelta = -26_524_928
        entry.salesChange = Percent(tenths: 162)
        entry.salesTotal = 13_090_833_414
        entry.audience = 21_533
        entry.audienceDelta = 0
        entry.audienceChange = Percent(tenths: -430)
        entry.audienceTotal = 411_668
        entry.screens = 996
        entry.showings = 3663
        return entry
    }

    /// A line of which only the movie is known.
    static func bare(_ code: String, line: Int = 1) -> ChartEntry {
        ChartEntry(line: line, rank: nil, rankChange: nil, isNew: true, movieCode: Self.code(code), title: "첫눈")
    }
}
