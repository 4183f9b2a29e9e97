extension String {
    /// The text without surrounding white space, with a blank for each control character. Names and titles are printed
    /// on terminals and in message headers, where control characters act as commands.
    var clean: String {
        guard unicodeScalars.contains(where: \.isControl) else { return trimmed }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 })).trimmed
    }

    /// The text without white space at either end, by Unicode's definition: no-break spaces too.
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
    /// Whether the scalar is white space. ASCII and Hangul letters skip the slow property lookup.
    fileprivate var isBlank: Bool {
        switch value {
        case 0x21...0x7E, 0xAC00...0xD7A3: false
        default: properties.isWhitespace
        }
    }

    /// Whether the scalar is in Unicode's category of control characters, which never grows.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F..<0xA0).contains(value)
    }
}

/// Text without surrounding white space and control characters; nil if nothing is left.
struct TrimmedText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self).clean
        value = text.isEmpty ? nil : text
    }
}
