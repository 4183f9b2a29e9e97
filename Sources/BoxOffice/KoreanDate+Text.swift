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
    public var description: String {
        let (year, month, day) = civil
        guard (0...9999).contains(year) else {
            let parts = parts
            return "\(parts.year)-\(parts.month)-\(parts.day)"
        }
        // Every event's topic has one: written in place, digit by digit.
        return String(unsafeUninitializedCapacity: 10) { bytes in
            for (place, digit) in [year / 1000, year / 100 % 10, year / 10 % 10, year % 10].enumerated() {
                bytes[place] = UInt8(ascii: "0") + UInt8(digit)
            }
            bytes[4] = UInt8(ascii: "-")
            bytes[5] = UInt8(ascii: "0") + UInt8(month / 10)
            bytes[6] = UInt8(ascii: "0") + UInt8(month % 10)
            bytes[7] = UInt8(ascii: "-")
            bytes[8] = UInt8(ascii: "0") + UInt8(day / 10)
            bytes[9] = UInt8(ascii: "0") + UInt8(day % 10)
            return 10
        }
    }

    /// The day as `YYYYMMDD`, the form the Korean Film Council's API asks for.
    public var compact: String {
        let (year, month, day) = parts
        return year + month + day
    }

    private var parts: (year: String, month: String, day: String) {
        func padded(_ value: Int, to width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return (padded(year, to: 4), padded(month, to: 2), padded(day, to: 2))
    }
}

extension KoreanDate: JSONText {
    /// What it is called where a text is none.
    public static let noun = "day of the calendar"
}
