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
        let lines = try elements()
        guard lines.count <= Self.lineLimit else {
            throw unreadable("a chart of \(lines.count) lines; it may have at most \(Self.lineLimit)")
        }
        for line in lines { entries.append(try ChartEntry(kobis: line, at: entries.count + 1)) }
        return entries
    }

    /// The most lines of a chart; those of KOBIS have ten.
    private static let lineLimit = 100
}

extension ChartEntry {
    /// Reads an entry, whose fields are text and can be blank. `position` (from 1) replaces a missing line number.
    fileprivate init(kobis line: JSONValue, at position: Int) throws(DecodingError) {
        func figure(_ name: String, _ field: Field) throws(DecodingError) -> Int? {
            try line[name]?.wholeNumber(in: field.range)
        }
        self.init(
            line: try figure("rnum", .line) ?? position, rank: try figure("rank", .rank),
            rankChange: try figure("rankInten", .rankChange), isNew: try line["rankOldAndNew"]?.filledText() == "NEW",
            movieCode: try line.value("movieCd").text(), title: try line.value("movieNm").requiredTitle())
        openDate = try line["openDt"]?.day()
        sales = try figure("salesAmt", .sales)
        salesShare = try line["salesShare"]?.percentage()
        salesDelta = try figure("salesInten", .salesDelta)
        salesChange = try line["salesChange"]?.percentage()
        salesTotal = try figure("salesAcc", .salesTotal)
        audience = try figure("audiCnt", .audience)
        audienceDelta = try figure("audiInten", .audienceDelta)
        audienceChange = try line["audiChange"]?.percentage()
        audienceTotal = try figure("audiAcc", .audienceTotal)
        screens = try figure("scrnCnt", .screens)
        showings = try figure("showCnt", .showings)
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
