public import JSONReading

extension KoreanDate: CustomStringConvertible {
    /// Reads `YYYY-MM-DD` or `YYYYMMDD`, digits in ASCII only.
    public init?(_ text: some StringProtocol) {
        self.init(digits: String(text))
    }

    private init?(digits text: String) {
        var text = text
        guard let date = text.withUTF8(KoreanDate.init(digits:)) else { return nil }
        self = date
    }

    /// Reads the bytes of such a text.
    public init?(digits bytes: UnsafeBufferPointer<UInt8>) {
        let hasDashes = bytes.count == 10
        guard hasDashes || bytes.count == 8 else { return nil }
        var value = 0
        for (place, byte) in bytes.enumerated() {
            if hasDashes, place == 4 || place == 7 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        self.init(year: value / 10_000, month: value / 100 % 100, day: value % 100)
    }

    /// The day as `YYYY-MM-DD`.
    public var description: String { text(dashes: true) }

    /// The day as `YYYYMMDD`, the form the Korean Film Council's API asks for.
    public var compact: String { text(dashes: false) }

    private func text(dashes: Bool) -> String {
        let (year, month, day) = civil
        // Only reckoning leads there: no such day can be read.
        guard (0...9999).contains(year) else { return "\(year)-\(month)-\(day)" }
        // Every event's topic has one: written in place, digit by digit.
        return String(unsafeUninitializedCapacity: 10) { bytes in
            var end = 0
            func append(_ number: Int, digits: Int) {
                if dashes, end > 0 {
                    bytes[end] = UInt8(ascii: "-")
                    end += 1
                }
                end += digits
                var rest = number
                for place in 1...digits {
                    bytes[end - place] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
            }
            append(year, digits: 4)
            append(month, digits: 2)
            append(day, digits: 2)
            return end
        }
    }
}

extension KoreanDate: JSONText {
    /// What it is called where a text is none.
    public static let noun = "day of the calendar"
}
