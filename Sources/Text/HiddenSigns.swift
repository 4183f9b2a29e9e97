// Signs that editors, chats and files of variables add around a value, and that nobody sees.

extension Unicode.Scalar {
    /// Whether the scalar cannot be told from nothing or from the usual blank.
    public var isHidden: Bool {
        switch value {
        case 0x20...0x7E: false
        default: isUnprintable || isInvisibleMark || properties.isWhitespace
        }
    }

    /// A blank, a line end and a tab by name, and another scalar by its number, such as `U+00A0`.
    public var hiddenName: BilingualText {
        switch self {
        case " ": return BilingualText("공백", "a blank")
        case "\n", "\r": return BilingualText("줄 바꿈", "a line end")
        case "\t": return BilingualText("탭", "a tab")
        default:
            let digits = String(value, radix: 16, uppercase: true)
            let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            return BilingualText(name, name)
        }
    }
}

extension String {
    /// The text without blanks, line ends and other hidden signs at either end.
    public var trimmingHidden: String {
        func isKept(_ scalar: Unicode.Scalar) -> Bool { scalar != " " && !scalar.isHidden }
        guard let first = unicodeScalars.firstIndex(where: isKept), let last = unicodeScalars.lastIndex(where: isKept)
        else { return "" }
        return String(unicodeScalars[first...last])
    }

    /// The value in a text that was written for another reader: without hidden signs at its ends, without quotes around it,
    /// and without `NAME=` before it.
    public func unwrapped(assignedTo name: String? = nil) -> String {
        let text = trimmingHidden.withoutQuotes
        guard let name, text.hasPrefix("\(name)=") else { return text }
        return String(text.dropFirst(name.count + 1)).trimmingHidden.withoutQuotes
    }

    private var withoutQuotes: String {
        // Word processors and chats make typographic quotes of the usual ones.
        let quotes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "'": "'", "“": "”", "‘": "’"]
        guard let first = unicodeScalars.first, let closing = quotes[first], unicodeScalars.count > 1,
            unicodeScalars.last == closing
        else { return self }
        return String(unicodeScalars.dropFirst().dropLast()).trimmingHidden
    }

    /// The text in quotes, with each hidden scalar as `\u{A0}`: for messages about the text.
    public var visiblyQuoted: String {
        debugDescription.escaping {
            $0.isHidden ? "\\u{\(String($0.value, radix: 16, uppercase: true))}" : nil
        }
    }

    /// Whether the text is a path that begins with what only a shell replaces, as in `~/data` and `$HOME/data`.
    public var needsShell: Bool { hasPrefix("~") || hasPrefix("$") }
}

extension [UInt8] {
    /// Whether a file begins with the byte order mark of UTF-16, in which some editors and shells of Windows write.
    public var isUTF16: Bool { starts(with: [0xFF, 0xFE]) || starts(with: [0xFE, 0xFF]) }

    /// Whether a file begins with the byte order mark of UTF-8.
    public var hasByteOrderMark: Bool { starts(with: [0xEF, 0xBB, 0xBF]) }
}
