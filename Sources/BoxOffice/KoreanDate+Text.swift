extension KoreanDate: CustomStringConvertible {
    /// Reads `YYYY-MM-DD` or `YYYYMMDD`, digits in ASCII only.
    public init?(_ text: some StringProtocol) {
        var digits = Array(text.utf8)
        if digits.count == 10 {
            guard digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-") else { return nil }
            digits.remove(at: 7)
            digits.remove(at: 4)
        }
        guard digits.count == 8 else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        self.init(year: value / 10_000, month: value / 100 % 100, day: value % 100)
    }

    /// The day as `YYYY-MM-DD`.
    public var description: String {
        let (year, month, day) = parts
        return "\(year)-\(month)-\(day)"
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

extension KoreanDate: Codable {
    /// Reads the day from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = KoreanDate(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no day of the calendar")
        }
        self = date
    }

    /// Writes the day as `YYYY-MM-DD`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
