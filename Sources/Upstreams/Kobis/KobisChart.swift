import BoxOffice

/// The answer to `searchDailyBoxOfficeList`.
struct KobisDailyChart: Decodable {
    struct Result: Decodable {
        /// The days that the chart is of: `20240604~20240604`.
        let showRange: BlankableText?
        let dailyBoxOfficeList: [KobisChartLine]
    }

    let boxOfficeResult: Result
}

/// The answer to `searchWeeklyBoxOfficeList`.
struct KobisWeeklyChart: Decodable {
    struct Result: Decodable {
        /// The days that the chart is of: `20240607~20240609`.
        let showRange: BlankableText?
        /// The year and the number of the week: `202423`.
        let yearWeekTime: BlankableText?
        let weeklyBoxOfficeList: [KobisChartLine]
    }

    let boxOfficeResult: Result
}

/// A line of a chart as it is sent: all of it text, any of it blank.
struct KobisChartLine: Decodable {
    let rnum: WholeNumber?
    let rank: WholeNumber?
    let rankInten: WholeNumber?
    let rankOldAndNew: BlankableText?
    let movieCd: MovieCode
    let movieNm: Title
    let openDt: BlankableDate?
    let salesAmt: WholeNumber?
    let salesShare: PercentNumber?
    let salesInten: WholeNumber?
    let salesChange: PercentNumber?
    let salesAcc: WholeNumber?
    let audiCnt: WholeNumber?
    let audiInten: WholeNumber?
    let audiChange: PercentNumber?
    let audiAcc: WholeNumber?
    let scrnCnt: WholeNumber?
    let showCnt: WholeNumber?

    /// The line in the domain's words; `position` (from 1) stands in for a line number that was not sent.
    func entry(at position: Int) -> ChartEntry {
        var entry = ChartEntry(
            line: rnum?.value ?? position, rank: rank?.value, rankChange: rankInten?.value,
            isNew: rankOldAndNew?.value == "NEW", movieCode: movieCd, title: movieNm.value)
        entry.openDate = openDt?.value
        entry.sales = salesAmt?.value
        entry.salesShare = salesShare?.value
        entry.salesDelta = salesInten?.value
        entry.salesChange = salesChange?.value
        entry.salesTotal = salesAcc?.value
        entry.audience = audiCnt?.value
        entry.audienceDelta = audiInten?.value
        entry.audienceChange = audiChange?.value
        entry.audienceTotal = audiAcc?.value
        entry.screens = scrnCnt?.value
        entry.showings = showCnt?.value
        return entry
    }
}

extension [KobisChartLine] {
    /// The lines in the domain's words, in the order in which they were sent.
    var entries: [ChartEntry] {
        enumerated().map { $1.entry(at: $0 + 1) }
    }
}
