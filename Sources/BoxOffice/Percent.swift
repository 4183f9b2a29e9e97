public import FoundationEssentials
public import JSONReading

/// A percentage with at most one decimal, held as whole tenths so that it is compared and sent on exactly.
public struct Percent: Hashable, Sendable {
    /// Ten times the percentage: 162 is 16.2 %.
    public let tenths: Int

    /// Makes a percentage from its tenths.
    public init(tenths: Int) {
        self.tenths = tenths
    }

    /// The percentage as a decimal number.
    public var decimal: Decimal {
        Decimal(tenths) / 10
    }

    /// Makes a percentage from a decimal number, or nothing if it has more than one decimal or is out of reach.
    public init?(_ decimal: Decimal) {
        let tenths = decimal * 10
        guard abs(tenths) < Decimal(1 << 53), let exact = Int("\(tenths)") else { return nil }
        self.init(tenths: exact)
    }
}

extension Percent: CustomStringConvertible {
    /// Reads a number with a point or without: `27.7`, `-43`, `100.0`; nothing if it has more than one decimal.
    public init?(_ text: String) {
        let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        guard let ones = Int(text[..<point]) else { return nil }
        var tenth = 0
        if point < text.endIndex {
            let decimals = text.utf8[point...].dropFirst()
            guard let first = decimals.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
                decimals.dropFirst().allSatisfy({ $0 == UInt8(ascii: "0") })
            else { return nil }
            tenth = Int(first - UInt8(ascii: "0"))
        }
        let (tens, isTooLarge) = ones.multipliedReportingOverflow(by: 10)
        // The sign is the text's, because -0 has lost that of -0.5.
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let (tenths, isTooFar) = tens.addingReportingOverflow(isNegative ? -tenth : tenth)
        guard !isTooLarge, !isTooFar else { return nil }
        self.init(tenths: tenths)
    }

    /// Reads the usual form, `-43` or `27.7` with few digits; nothing if it is another.
    public init?(digits bytes: UnsafeBufferPointer<UInt8>) {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let point = bytes.count - 2
        let hasPoint = point > 0 && bytes[point] == UInt8(ascii: ".")
        let start = isNegative ? 1 : 0
        guard (1...12).contains((hasPoint ? point : bytes.count) - start) else { return nil }
        var number = 0
        for place in start..<bytes.count where !hasPoint || place != point {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) else { return nil }
            number = number * 10 + Int(bytes[place] - UInt8(ascii: "0"))
        }
        let tenths = hasPoint ? number : number * 10
        self.init(tenths: isNegative ? -tenths : tenths)
    }

    /// The percentage with its decimal, if it has one: `-7.5`, `98`.
    public var description: String {
        var text = JSONWriter(capacity: 32)
        write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension JSONValue {
    /// The number as a percentage.
    public func percent() throws(DecodingError) -> Percent {
        if let percent = plain(Percent.init(digits:)) { return percent }
        if let percent = Percent(try numeral()) { return percent }
        return try decode()  // 1.62e1 is 16.2, too
    }
}

extension Percent: Codable {
    /// Reads the percentage from a JSON number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let decimal = try container.decode(Decimal.self)
        guard let percent = Percent(decimal) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(decimal) has more than one decimal")
        }
        self = percent
    }

    /// Writes the percentage as a JSON number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(decimal)
    }
}
