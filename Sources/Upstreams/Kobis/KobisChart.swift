import BoxOffice
import JSONCoding

/// The response to `searchDailyBoxOfficeList`.
struct KobisDailyChart: JSONReadable {
    /// The days that the chart covers: `20240604~20240604`.
    let range: String?
    /// The entries, in the order in which they were sent.
    let entries: [ChartEntry]
    /// The fields that could not be read.
    let unreadable: [UnreadableField]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        let unreadable = UnreadableFields(wrappers: 1)
        range = unreadable.optional(try result["showRange"]?.range())
        entries = try result.value("dailyBoxOfficeList").entries(unreadable)
        self.unreadable = unreadable.fields
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
    /// The fields that could not be read.
    let unreadable: [UnreadableField]

    init(json: JSONValue) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        let unreadable = UnreadableFields(wrappers: 1)
        range = unreadable.optional(try result["showRange"]?.range())
        yearWeek = unreadable.optional(try result["yearWeekTime"]?.filledText())
        entries = try result.value("weeklyBoxOfficeList").entries(unreadable)
        self.unreadable = unreadable.fields
    }
}

extension JSONValue {
    /// Reads the entries of a chart, whose line numbers differ.
    fileprivate func entries(_ unreadable: UnreadableFields) throws(DecodingError) -> [ChartEntry] {
        var entries: [ChartEntry] = []
        let lines = try elements()
        guard lines.count <= Self.lineLimit else {
            throw self.unreadable("a chart of \(lines.count) lines; it may have at most \(Self.lineLimit)")
        }
        for line in lines {
            let entry = try ChartEntry(kobis: line, at: entries.count + 1, unreadable)
            // A line that is sent twice is still one line.
            if !entries.contains(entry) { entries.append(entry) }
        }
        // Whoever stores a line or compares it with that of another revision does so by its number.
        if Set(entries.map(\.line)).count < entries.count {
            for index in entries.indices { entries[index].line = index + 1 }
        }
        return entries
    }

    /// The most lines of a chart; those of KOBIS have ten.
    private static let lineLimit = 100
}

extension ChartEntry {
    /// Reads an entry, whose fields are text and can be blank. `position` (from 1) replaces a missing line number.
    fileprivate init(
        kobis line: JSONValue, at position: Int, _ unreadable: UnreadableFields
    ) throws(DecodingError) {
        func required(_ name: String, _ field: Field) throws(DecodingError) -> Int? {
            try line[name]?.wholeNumber(in: field.range)
        }
        func figure(_ name: String, _ field: Field) -> Int? { unreadable.optional(try required(name, field)) }
        func percentage(_ name: String) -> Percent? { unreadable.optional(try line[name]?.percentage()) }
        self.init(
            line: figure("rnum", .line) ?? position, rank: try required("rank", .rank),
            rankChange: figure("rankInten", .rankChange),
            isNew: unreadable.optional(try line["rankOldAndNew"]?.filledText()) == "NEW",
            movieCode: try line.value("movieCd").movieCode(), title: try line.value("movieNm").requiredTitle())
        openDate = unreadable.optional(try line["openDt"]?.day())
        sales = figure("salesAmt", .sales)
        salesShare = percentage("salesShare")
        salesDelta = figure("salesInten", .salesDelta)
        salesChange = percentage("salesChange")
        salesTotal = figure("salesAcc", .salesTotal)
        audience = try required("audiCnt", .audience)
        audienceDelta = figure("audiInten", .audienceDelta)
        audienceChange = percentage("audiChange")
        audienceTotal = figure("audiAcc", .audienceTotal)
        screens = figure("scrnCnt", .screens)
        showings = figure("showCnt", .showings)
    }
}

// MARK: - Areas

/// The response to `searchCodeList`.
struct KobisCodes: JSONReadable {
    /// The areas; other codes are ignored.
    let areas: [Market.NamedArea]
    /// The fields that could not be read.
    let unreadable: [UnreadableField]

    init(json: JSONValue) throws(DecodingError) {
        let unreadable = UnreadableFields()
        areas = try json.value("codes").elements().compactMap { code in
            func text(_ name: String) -> String? { unreadable.optional(try code.filledText(name)) }
            guard let area = text("fullCd").flatMap({ Market.Area($0) }) else { return nil }
            return Market.NamedArea(area: area, name: text("korNm") ?? "\(area)", nameEnglish: text("engNm"))
        }
        self.unreadable = unreadable.fields
    }
}
