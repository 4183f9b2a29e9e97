import BoxOffice
import JSONCoding

extension JSONValue {
    /// Text without the blanks, tabs and no-break spaces around it, and without control characters; nil if nothing else
    /// is there.
    func words() throws(DecodingError) -> String? {
        let text = try text().clean
        return text.isEmpty ? nil : text
    }

    /// The words of a member; nil if there is none, or nothing is filled in.
    func words(_ name: String) throws(DecodingError) -> String? {
        try self[name]?.words()
    }

    /// A title, likewise clean; a film without one is unreadable.
    func title() throws(DecodingError) -> String {
        guard let title = try words() else { throw unreadable(try text(), as: "title") }
        return title
    }

    /// A day as `2024-05-22` in charts or `20240522` in films; nil if it is blank or not known to the day.
    func day() throws(DecodingError) -> KoreanDate? {
        if let day = withUnescapedBytes(KoreanDate.init(digits:)) { return day }
        let text = try text().trimmed
        if let day = KoreanDate(text) { return day }
        // Digits that are no day of the calendar (19620000, 2024) say that the day is not known.
        let isNumeric = text.filter { $0 != "-" }.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        guard isNumeric else { throw unreadable(text, as: "day") }
        return nil
    }

    /// The error that what is written here cannot be read as what it should be.
    func unreadable(_ text: String, as kind: String) -> DecodingError {
        unreadable("\(String(text.prefix(64)).debugDescription) is no \(kind)")
    }
}

extension String {
    /// The text trimmed, with a blank for every control character: what people are called and films are named ends on
    /// terminals and in message headers, where these characters are commands.
    var clean: String {
        guard unicodeScalars.contains(where: \.isControl) else { return trimmed }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 })).trimmed
    }

    /// The text without white space at either end, as Unicode has it: no-break spaces too.
    var trimmed: String {
        if let first = unicodeScalars.first, let last = unicodeScalars.last, !first.isBlank, !last.isBlank {
            return self
        }
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

extension Unicode.Scalar {
    /// Whether it is white space; letters of ASCII and Hangul are none, and are not looked up.
    fileprivate var isBlank: Bool {
        switch value {
        case 0x21...0x7E, 0xAC00...0xD7A3: false
        default: properties.isWhitespace
        }
    }

    /// Whether it is in Unicode's general category of control characters, which never grows.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F..<0xA0).contains(value)
    }
}
