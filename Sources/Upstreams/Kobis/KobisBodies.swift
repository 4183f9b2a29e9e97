import BoxOffice
import JSONCoding
import Text

// MARK: Charts

/// A response with a chart.
struct KobisChart {
    /// The days that the chart covers: `20240604~20240604`.
    let range: String?
    /// The year and the number of the week, such as `202423`; nil for a day's chart.
    let yearWeek: String?
    let entries: [ChartEntry]

    init(_ json: JSONValue, list: String, _ unreadable: UnreadableFields) throws(DecodingError) {
        let result = try json.value("boxOfficeResult")
        range = unreadable.optional(try result["showRange"]?.range())
        yearWeek = unreadable.optional(try result["yearWeekTime"]?.filledText())
        entries = try result.value(list).entries(unreadable)
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

extension JSONValue {
    func areas(_ unreadable: UnreadableFields) throws(DecodingError) -> [Market.NamedArea] {
        try value("codes").elements().compactMap { code in
            func text(_ name: String) -> String? { unreadable.optional(try code.filledText(name)) }
            guard let area = text("fullCd").flatMap({ Market.Area($0) }) else { return nil }
            return Market.NamedArea(area: area, name: text("korNm") ?? "\(area)", nameEnglish: text("engNm"))
        }
    }
}

// MARK: - Movies

extension JSONValue {
    /// Reads a movie; nil if its code is unknown, for which KOBIS sends nothing or a movie with empty fields.
    func movie(_ unreadable: UnreadableFields) throws(DecodingError) -> Movie? {
        guard let info = try value("movieInfoResult")["movieInfo"], let code = try info["movieCd"] else { return nil }
        if code.isText, try code.filledText() == nil { return nil }
        return try Movie(kobis: info, unreadable)
    }
}

extension Movie {
    /// Reads a movie, whose unknown fields are empty texts. Parts without a name are left out.
    fileprivate init(kobis info: JSONValue, _ unreadable: UnreadableFields) throws(DecodingError) {
        self.init(code: try info.value("movieCd").movieCode(), title: try info.value("movieNm").requiredTitle())
        func text(_ json: JSONValue, _ name: String) -> String? { unreadable.optional(try json.filledText(name)) }
        func parts<Part>(_ name: String, _ read: (JSONValue) -> Part?) -> [Part] {
            unreadable.optional(try info[name]?.elements())?.compactMap(read) ?? []
        }
        /// Reads a person's name, in Latin letters if there is no Korean one, and the name in Latin letters.
        func names(_ person: JSONValue) -> (name: String?, english: String?) {
            let (name, english) = (text(person, "peopleNm"), text(person, "peopleNmEn"))
            return (name ?? english, english)
        }
        titleEnglish = text(info, "movieNmEn")
        titleOriginal = text(info, "movieNmOg")
        let minutes = unreadable.optional(try info["showTm"]?.wholeNumber(in: 0...100_000))
        // No movie lasts 0 minutes: the length is unknown.
        runtimeMinutes = minutes == 0 ? nil : minutes
        productionYear = unreadable.optional(try info["prdtYear"]?.year())
        openDate = unreadable.optional(try info["openDt"]?.day())
        status = text(info, "prdtStatNm")
        type = text(info, "typeNm")
        nations = parts("nations") { text($0, "nationNm") }
        genres = parts("genres") { text($0, "genreNm") }
        directors = parts("directors") { person in
            let (name, english) = names(person)
            return name.map { Director(name: $0, nameEnglish: english) }
        }
        actors = parts("actors") { person in
            let (name, english) = names(person)
            let (role, roleEnglish) = (text(person, "cast"), text(person, "castEn"))
            return name.map { Actor(name: $0, nameEnglish: english, role: role, roleEnglish: roleEnglish) }
        }
        showTypes = parts("showTypes") { showType in
            let (group, name) = (text(showType, "showTypeGroupNm"), text(showType, "showTypeNm"))
            return (group ?? name).map { ShowType(group: $0, name: name) }
        }
        companies = parts("companys") { company in
            let (name, english) = (text(company, "companyNm"), text(company, "companyNmEn"))
            let (code, part) = (text(company, "companyCd"), text(company, "companyPartNm"))
            return (name ?? english).map { Company(code: code, name: $0, nameEnglish: english, part: part) }
        }
        ratings = parts("audits") { audit in
            let (number, grade) = (text(audit, "auditNo"), text(audit, "watchGradeNm"))
            return grade.map { Rating(number: number, grade: $0) }
        }
        staff = parts("staffs") { person in
            let (name, english) = names(person)
            let role = text(person, "staffRoleNm")
            return name.map { Staff(name: $0, nameEnglish: english, role: role) }
        }
    }
}

// MARK: - Numbers

/// Numbers as KOBIS sends them: usually text, sometimes a JSON number; nil if blank.
extension JSONValue {
    /// Reads a count or an amount in a range: `"264355728"`, `"-2004"`, `"98.0"`, `98`; blank or `"-"` is nil.
    func wholeNumber(in range: ClosedRange<Int>) throws(DecodingError) -> Int? {
        guard let number = try wholeNumber() else { return nil }
        // Whoever calculates with figures relies on this: a sum that overflows ends the process.
        guard range.contains(number) else {
            throw unreadable("\(number) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    private func wholeNumber() throws(DecodingError) -> Int? {
        guard isText else { return try integer() }
        if let number = decimalInteger { return number }
        guard let text = try numberText() else { return nil }
        if let number = Int(text) { return number }
        guard let number = Percent(text), number.tenths.isMultiple(of: 10) else {
            throw unreadable(text, as: "whole number")
        }
        return number.tenths / 10
    }

    /// Reads a percentage with at most one decimal: `"27.7"`, `"-43"`, `"100.0"`; blank or `"-"` is nil.
    func percentage() throws(DecodingError) -> Percent? {
        guard isText else { return try percent() }
        if let percent = withUnescapedBytes(Percent.init(digits:)) { return percent }
        guard let text = try numberText() else { return nil }
        guard let percent = Percent(text) else { throw unreadable(text, as: "percentage with one decimal") }
        return percent
    }

    private func numberText() throws(DecodingError) -> String? {
        let text = try text().trimmed
        return text.isEmpty || text == "-" ? nil : text
    }
}

// MARK: - Texts and days

extension JSONValue {
    /// Reads text without surrounding white space and control characters; nil if nothing is left.
    func filledText() throws(DecodingError) -> String? {
        let text = try text()
        guard text.utf8.count <= Self.textLimit else {
            throw unreadable("a text of \(text.utf8.count) bytes; it may have at most \(Self.textLimit)")
        }
        let clean = text.clean
        return clean.isEmpty ? nil : clean
    }

    /// The most bytes of a title, a name or another text; those of KOBIS have some hundred at most.
    private static let textLimit = 1_000

    func filledText(_ name: String) throws(DecodingError) -> String? {
        try self[name]?.filledText()
    }

    /// Reads a title, which may be a number; throws if it is blank.
    func requiredTitle() throws(DecodingError) -> String {
        try requiredText(as: "title")
    }

    /// Reads a movie's code, which may be a number.
    func movieCode() throws(DecodingError) -> MovieCode {
        let text = try requiredText(as: MovieCode.noun)
        guard let code = MovieCode(text) else { throw unreadable(text, as: MovieCode.noun) }
        return code
    }

    private func requiredText(as kind: String) throws(DecodingError) -> String {
        if !isText, let number = try? integer() { return "\(number)" }  // the error below says more
        guard let text = try filledText() else { throw unreadable(try text(), as: kind) }
        return text
    }

    /// Reads the first and the last day of a chart, however they are separated, as `20240604~20240604`; nil if they are
    /// blank.
    func range() throws(DecodingError) -> String? {
        guard let text = try filledText() else { return nil }
        let digits = text.filter { $0.isASCII && $0.isNumber }
        guard digits.utf8.count == 16 else { throw unreadable(text, as: "range of days") }
        return "\(digits.prefix(8))~\(digits.suffix(8))"
    }

    /// Reads a day, `2024-05-22` in charts or `20240522` in movies; nil if it is blank or incomplete.
    func day() throws(DecodingError) -> KoreanDate? {
        if let day = withUnescapedBytes(KoreanDate.init(digits:)) { return day }
        let text = try text().trimmed
        if let day = KoreanDate(text) { return day }
        // Digits that are not a calendar day (19620000, 2024) mean that the day is unknown.
        let isNumeric = text.filter { $0 != "-" }.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        guard isNumeric else { throw unreadable(text, as: "day") }
        return nil
    }

    /// Reads a year; nil if it is blank, or if no movie was made in it, so that it is unknown.
    func year() throws(DecodingError) -> Int? {
        guard let year = try wholeNumber(), Movie.years.contains(year) else { return nil }
        return year
    }

    func unreadable(_ text: String, as kind: String) -> DecodingError {
        // Whole: `HTTPClient` redacts the text and cuts it then.
        unreadable("\(text.debugDescription) is not a \(kind)")
    }
}
