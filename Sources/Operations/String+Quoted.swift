extension String {
    /// The text as a JSON string, in quotes; nothing that moves a cursor, breaks a line or turns its direction is left.
    var quoted: String {
        var result = ""
        result.append(quoting: self)
        return result
    }

    /// Appends a text likewise.
    mutating func append(quoting text: String) {
        self += "\""
        if text.unicodeScalars.contains(where: { $0 == "\"" || $0 == "\\" || $0.isUnprintable }) {
            appendEscaped(text)
        } else {
            self += text  // as nearly always
        }
        self += "\""
    }

    private mutating func appendEscaped(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": self += "\\\(scalar)"
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            case _ where scalar.isUnprintable:
                let digits = String(scalar.value, radix: 16)
                self += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            default: unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar would change how the text around it is laid out: controls, line and paragraph separators, and
    /// the marks that turn the direction of writing. All of them have four hexadecimal digits.
    var isUnprintable: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }
}
