import BoxOffice

/// Text without the blanks, tabs and no-break spaces around it, and without control characters; nil if nothing else is
/// there.
struct BlankableText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self).clean
        value = text.isEmpty ? nil : text
    }
}

/// A title, likewise clean; a film without one is unreadable.
struct Title: Decodable {
    let value: String

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        value = text.clean
        if value.isEmpty { throw DecodingError.unreadable(text, "title", at: decoder.codingPath) }
    }
}

/// A day as `2024-05-22` in charts or `20240522` in films; nil if it is blank or not known to the day.
struct BlankableDate: Decodable {
    let value: KoreanDate?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self).trimmed
        value = KoreanDate(text)
        // Digits that are no day of the calendar (19620000, 2024) say that the day is not known.
        let isNumeric = text.filter { $0 != "-" }.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        if value == nil, !isNumeric { throw DecodingError.unreadable(text, "day", at: decoder.codingPath) }
    }
}

extension String {
    /// The text trimmed, with a blank for every control character: what people are called and films are named ends on
    /// terminals and in message headers, where these characters are commands.
    var clean: String {
        let scalars = unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmed
    }

    /// The text without white space at either end, as Unicode has it: no-break spaces too.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

extension DecodingError {
    /// Says that the value at `path` cannot be read as what it should be.
    static func unreadable(_ text: String, _ kind: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(
            Context(codingPath: path, debugDescription: "\(String(text.prefix(64)).debugDescription) is no \(kind)"))
    }
}
