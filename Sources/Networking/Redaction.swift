/// Takes secrets out of any text, also where an upstream echoes them, percent-encoded or not, in whatever case.
struct Redaction: Sendable {
    /// What stands where a secret was.
    static let mark = "***"

    private let secrets: [[UInt8]]

    /// Makes the rule for some secrets; empty ones are none.
    init(of values: [String]) {
        // The longest first: replacing a part would leave the rest of the whole standing.
        secrets = values.map { $0.utf8.map(\.lowercased) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// The text with `***` in place of each secret.
    func scrub(_ text: String) -> String {
        secrets.reduce(text) { text, secret in Self.scrub(secret, from: text) }
    }

    private static func scrub(_ secret: [UInt8], from text: String) -> String {
        let bytes = Array(text.utf8)
        var clean: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let end = self.end(of: secret, in: bytes, at: index) {
                clean += mark.utf8
                index = end
            } else {
                clean.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: clean, as: UTF8.self)
    }

    /// Where `secret` ends if it begins at `start`: each of its bytes stands there as itself or as `%XX`.
    private static func end(of secret: [UInt8], in bytes: [UInt8], at start: Int) -> Int? {
        var index = start
        for wanted in secret {
            guard index < bytes.count else { return nil }
            if bytes[index].lowercased == wanted {
                index += 1
            } else if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                UInt8(hex: bytes[index + 1], bytes[index + 2])?.lowercased == wanted
            {
                index += 3
            } else {
                return nil
            }
        }
        return index
    }
}

extension UInt8 {
    /// The byte with a capital ASCII letter made small.
    var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// The byte that two hexadecimal digits stand for.
    fileprivate init?(hex high: UInt8, _ low: UInt8) {
        guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
            let low = Character(Unicode.Scalar(low)).hexDigitValue
        else { return nil }
        self = UInt8(high << 4 | low)
    }
}
