import JSONCoding

extension String {
    /// The text as a JSON string, in quotes; nothing that moves a cursor, breaks a line or turns its direction is left.
    var quoted: String {
        var json = JSONWriter(capacity: utf8.count + 2)
        json.appendQuoted(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Appends a text likewise.
    mutating func appendQuoted(_ text: String) {
        appendText(text, escaping: \.isUnprintable)
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
