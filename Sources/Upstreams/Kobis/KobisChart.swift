import BoxOffice
import JSONCoding

/// The answer to `searchDailyBoxOfficeList`.
struct KobisDailyChart: JSONReadable {
    /// The days that the chart is of: `20240604~20240604`.
    let range: String?
    /// The lines, in the order in which they were sent.
    let entries: [ChartEntry]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        range = try result["showRange"]?.words()
        entries = try result.value("dailyBoxOfficeList").entries()
    }
}

/// The answer to `searchWeeklyBoxOfficeList`.
struct KobisWeeklyChart: JSONReadable {
    /// The days that the chart is of: `20240607~20240609`.
    let range: String?
    /// The year and the number of the week: `202423`.
    let yearWeek: String?
    /// The lines, in the order in which they were sent.
    let entries: [ChartEntry]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        range = try result["showRange"]?.words()
        yearWeek = try result["yearWeekTime"]?.words()
        entries = try result.value("weeklyBoxOfficeList").entries()
    }
}

extension JSONValue {
    /// The lines of a chart in the domain's words.
    fileprivate func entries() throws(DecodingError) -> [ChartEntry] {
        var entries: [ChartEntry] = []
        for line in try elements() { entries.append(try ChartEntry(kobis: line, at: entries.count + 1)) }
        return entries
    }
}

extension ChartEntry {
    /// Reads a line as it is sent: all of it text, any of it blank. `position` (from 1) stands in for a line number that
    /// was not sent.
    fileprivate init(kobis line: JSONValue, at position: Int) throws(DecodingError) {
        self.init(
            line: try line["rnum"]?.wholeNumber() ?? position, rank: try line["rank"]?.wholeNumber(),
            rankChange: try line["rankInten"]?.wholeNumber(), isNew: try line["rankOldAndNew"]?.words() == "NEW",
            movieCode: try line.value("movieCd").text(), title: try line.value("movieNm").title())
        openDate = try line["openDt"]?.day()
        sales = try line["salesAmt"]?.wholeNumber()
        salesShare = try line["salesShare"]?.percentage()
        salesDelta = try line["salesInten"]?.wholeNumber()
        salesChange = try line["salesChange"]?.percentage()
        salesTotal = try line["salesAcc"]?.wholeNumber()
        audience = try line["audiCnt"]?.wholeNumber()
        audienceDelta = try line["audiInten"]?.wholeNumber()
        audienceChange = try line["audiChange"]?.percentage()
        audienceTotal = try line["audiAcc"]?.wholeNumber()
        screens = try line["scrnCnt"]?.wholeNumber()
        showings = try line["showCnt"]?.wholeNumber()
    }
}
