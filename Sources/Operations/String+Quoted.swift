extension String {
    /// The text as a JSON string, in quotes; nothing that moves a cursor, breaks a line or turns its direction is left.
    var quoted: String {
        var bytes: [UInt8] = []
        bytes.append(quoting: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a text likewise.
    mutating func append(quoting text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(\.isPlain) {
            append(contentsOf: text.utf8)  // as nearly always
        } else {
            appendEscaped(text)
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": append(contentsOf: "\\\(scalar)".utf8)
            case "\n": append(contentsOf: "\\n".utf8)
            case "\r": append(contentsOf: "\\r".utf8)
            case "\t": append(contentsOf: "\\t".utf8)
            case _ where scalar.isUnprintable:
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: Swift.max(0, 4 - digits.count))
                append(contentsOf: "\\u\(zeros)\(digits)".utf8)
            default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

extension UInt8 {
    /// Whether nothing with this byte in it has to be escaped: not the quote, the backslash or a control of ASCII, and none that
    /// begins with one of the last four, as all other unprintable scalars do.
    fileprivate var isPlain: Bool {
        switch self {
        case 0x00...0x1f, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f, 0xc2, 0xd8, 0xe2, 0xef: false
        default: true
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
