import BoxOffice
import JSONCoding

/// The response to `searchDailyBoxOfficeList`.
struct KobisDailyChart: JSONReadable {
    /// The days that the chart covers: `20240604~20240604`.
    let range: String?
    /// The entries, in the order in which they were sent.
    let entries: [ChartEntry]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        range = try result["showRange"]?.filledText()
        entries = try result.value("dailyBoxOfficeList").entries()
    }
}

/// The response to `searchWeeklyBoxOfficeList`.
struct KobisWeeklyChart: JSONReadable {
    /// The days that the chart covers: `20240607~20240609`.
    let range: String?
    /// The year and the number of the week, such as `202423`.
    let yearWeek: String?
    /// The entries, in the order in which they were sent.
    let entries: [ChartEntry]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        range = try result["showRange"]?.filledText()
        yearWeek = try result["yearWeekTime"]?.filledText()
        entries = try result.value("weeklyBoxOfficeList").entries()
    }
}

extension JSONValue {
    /// Reads the entries of a chart.
    fileprivate func entries() throws(DecodingError) -> [ChartEntry] {
        var entries: [ChartEntry] = []
        for line in try elements() { entries.append(try ChartEntry(kobis: line, at: entries.count + 1)) }
        return entries
    }
}

extension ChartEntry {
    /// Reads an entry, whose fields are text and can be blank. `position` (from 1) replaces a missing line number.
    fileprivate init(kobis line: JSONValue, at position: Int) throws(DecodingError) {
        self.init(
            line: try line["rnum"]?.wholeNumber() ?? position, rank: try line["rank"]?.wholeNumber(),
            rankChange: try line["rankInten"]?.wholeNumber(), isNew: try line["rankOldAndNew"]?.filledText() == "NEW",
            movieCode: try line.value("movieCd").text(), title: try line.value("movieNm").requiredTitle())
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

// MARK: - Areas

/// The response to `searchCodeList`.
struct KobisCodes: JSONReadable {
    /// The areas; other codes are ignored.
    let areas: [Market.NamedArea]

    init(json: JSONValue) throws(DecodingError) {
        var areas: [Market.NamedArea] = []
        for code in try json.value("codes").elements() {
            let (full, name, english) = (
                try code.filledText("fullCd"), try code.filledText("korNm"), try code.filledText("engNm")
            )
            guard let area = full.flatMap({ Market.Area($0) }) else { continue }
            areas.append(Market.NamedArea(area: area, name: name ?? "\(area)", nameEnglish: english))
        }
        self.areas = areas
    }
}
