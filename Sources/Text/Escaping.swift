// What a stranger's text must not do where it is written: CSV, chats, mail, terminals, logs.
//
// Everything here looks at scalars or bytes. A Swift `Character` may be `<` with a combining mark, or CR LF, and is then
// not equal to `"<"`; see docs/decisions/escaping-by-bytes.md.

extension Unicode.Scalar {
    /// Whether the scalar changes the layout of the text around it: control characters, line and paragraph separators, and
    /// marks for the direction of writing. All of them are at most U+FFFF.
    public var isUnprintable: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    /// Whether the scalar shows nothing or changes the direction of writing, so that a name with it looks like another.
    public var isInvisibleMark: Bool {
        switch value {
        case 0xad, 0x061c, 0x200b...0x200f, 0x202a...0x202e, 0x2060...0x2064, 0x2066...0x2069, 0x3164, 0xfeff, 0xffa0:
            true
        default: false
        }
    }
}

// MARK: - Terminals

extension String {
    /// Returns the text with unprintable scalars as `\uXXXX`, as JSON and the log write them; line feeds stay.
    public func escapedForTerminal(keeping sequences: [String] = []) -> String {
        guard unicodeScalars.contains(where: { $0.isUnprintable && $0 != "\n" }) else { return self }
        var escaped = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            if let sequence = sequences.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                escaped.append(contentsOf: sequence.unicodeScalars)
                rest = rest.dropFirst(sequence.unicodeScalars.count)
                continue
            }
            rest = rest.dropFirst()
            if scalar.isUnprintable, scalar != "\n" {
                let bytes = [UInt8(truncatingIfNeeded: scalar.value >> 8), UInt8(truncatingIfNeeded: scalar.value)]
                escaped.append(contentsOf: "\\u\(Hex.encode(bytes))".unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

// MARK: - CSV

extension String {
    /// The text as a cell of CSV (RFC 4180): in quotes if it has a separator, a quote or a line end, and after an apostrophe
    /// if a spreadsheet would otherwise run it as a formula.
    ///
    /// Spreadsheets run a cell whose first visible scalar is `=`, `+`, `-` or `@`, in Korea and Japan also the fullwidth
    /// forms of these, and some a cell that begins with a tab or a line end.
    public var csvCell: String {
        let text = isFormula ? "'" + self : self
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0D, 0x0A].contains($0) }) else { return text }
        let doubled = text.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }

    private var isFormula: Bool {
        for scalar in unicodeScalars {
            switch scalar {
            case "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫": return true
            case _ where scalar.isUnprintable || scalar.isInvisibleMark: continue
            case _ where scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace: continue
            default: return false
            }
        }
        return false
    }
}

// MARK: - Chats

extension String {
    /// Keeps an `@` from being a mention: chats look for a name right behind it, and a word joiner has no width.
    private static let noMention = "@\u{2060}"
    private static let slackEscapes: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": noMention,
    ]

    /// The text without Slack's markup: `&`, `<` and `>` as entities, and no `@` that mentions anybody.
    ///
    /// Slack's mentions and masked links begin with `<`; Mattermost, which accepts the same, mentions a bare `@channel`.
    public var escapedForSlack: String {
        escaping { Self.slackEscapes[$0] }
    }

    /// The text with a backslash before each character that begins something in Discord's Markdown.
    public var escapedForDiscord: String {
        escaping { "\\*_~`|<>[]#".unicodeScalars.contains($0) ? "\\\($0)" : nil }
    }

    /// The text without mentions, for Telegram without a parse mode, which finds nothing else in plain text than links and
    /// words behind `@`. Nothing else needs an escape: formatting is in entities beside the text.
    public var escapedForTelegram: String {
        escaping { $0 == "@" ? Self.noMention : nil }
    }

    /// A URL whose characters cannot end the markup around it, in `<URL|text>` of Slack and `[text](URL)` of Discord: those
    /// are percent-encoded.
    public var escapedForLinkMarkup: String {
        escaping { "<>|()[]\"'`\\ ".unicodeScalars.contains($0) ? "%\(Hex.encode([UInt8(ascii: $0)]))" : nil }
    }

    /// Returns the text with what `escape` returns in place of each scalar; nil keeps it.
    func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = escape(scalar) { escaped += text.unicodeScalars } else { escaped.append(scalar) }
        }
        return String(escaped)
    }
}

// MARK: - Mail, and texts of one line

extension String {
    private static let htmlEscapes: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]

    /// The text for HTML, between tags and in an attribute in quotes.
    public var escapedForHTML: String {
        escaping { Self.htmlEscapes[$0] }
    }

    /// The text on one line: a blank for each unprintable scalar.
    public var onOneLine: String {
        escaping { $0.isUnprintable ? " " : nil }
    }

    /// The text's bytes with CR LF for each line end, as mail needs it (RFC 5322), and without other carriage returns.
    public var mailBytes: [UInt8] {
        utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\r"): []
            case UInt8(ascii: "\n"): [UInt8(ascii: "\r"), byte]
            default: [byte]
            }
        }
    }
}

// MARK: - Names

extension String {
    /// The text without surrounding white space and invisible marks, with a blank for each control character.
    ///
    /// Names and titles are printed on terminals, in spreadsheets and in message headers, where control characters act as
    /// commands, and a name with invisible marks passes for another.
    public var clean: String { cleaned(keepingLineFeeds: false).trimmed }

    /// As ``clean``, with its line feeds and without trimming: for texts of several lines.
    public var cleanLines: String { cleaned(keepingLineFeeds: true) }

    /// The text without white space at either end, by Unicode's definition: no-break spaces too.
    public var trimmed: String {
        if let first = unicodeScalars.first, let last = unicodeScalars.last, !first.isBlank, !last.isBlank {
            return self
        }
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    private func cleaned(keepingLineFeeds: Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isUnprintable || $0.isInvisibleMark }) else { return self }
        return escaping { scalar in
            // CR LF is one line end; a carriage return alone would let a terminal write over the line.
            if scalar.isInvisibleMark || keepingLineFeeds && scalar == "\r" { return "" }
            return scalar.isUnprintable && !(keepingLineFeeds && scalar == "\n") ? " " : nil
        }
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
}

// MARK: - Splitting

extension StringProtocol where SubSequence == Substring, UTF8View.SubSequence == Substring.UTF8View {
    /// Returns the parts between the bytes `separator`, also where a combining mark follows one.
    public func parts(between separator: Unicode.Scalar, keepsEmpty: Bool = false) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: !keepsEmpty).map { Substring($0) }
    }
}

// MARK: - Length

extension String {
    /// Returns the text, or its beginning of at most `count` bytes that ends with a whole scalar.
    public func prefix(bytes count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(startIndex, offsetBy: count)
        while utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
