import BoxOffice
import JSONCoding
import Text

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
        if let number = Int(try text()) { return number }
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
        if let percent = Percent(try text()) { return percent }
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

    /// Reads the text of a member; nil if the member is missing or blank.
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

    /// Returns the error that `text` is not a `kind`.
    func unreadable(_ text: String, as kind: String) -> DecodingError {
        // Whole: `HTTPClient` redacts the text and cuts it then.
        unreadable("\(text.debugDescription) is not a \(kind)")
    }
}
