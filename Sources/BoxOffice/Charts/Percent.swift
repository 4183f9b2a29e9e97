public import FoundationEssentials
public import JSONCoding
import Text

/// A percentage with at most one decimal, held as whole tenths so that comparing and printing it are exact.
public struct Percent: Hashable, Sendable, CustomStringConvertible {
    /// Ten times the percentage: 162 is 16.2 %.
    public let tenths: Int

    /// Makes a percentage from its tenths.
    public init(tenths: Int) {
        self.tenths = tenths
    }

    /// Makes a percentage from a decimal number, or nil if it has more than one decimal or is too large.
    public init?(_ decimal: Decimal) {
        let tenths = decimal * 10
        guard abs(tenths) < Decimal(1 << 53), let exact = Int("\(tenths)") else { return nil }
        self.init(tenths: exact)
    }

    /// Reads a number with a point or without, `27.7`, `-43` or `100.0`; nil if it has more than one decimal, or more than
    /// twelve digits before the point.
    public init?(_ text: String) {
        self.init(digits: text.utf8.span)
    }

    /// Reads the bytes of such a text.
    public init?(digits bytes: Span<UInt8>) {
        let isNegative = !bytes.isEmpty && bytes[0] == UInt8(ascii: "-")
        let number = bytes.extracting(droppingFirst: isNegative ? 1 : 0)
        var point = 0
        while point < number.count, number[point] != UInt8(ascii: ".") { point += 1 }
        guard point <= 12, let ones = Int(digits: number.extracting(..<point)) else { return nil }
        var tenths = ones * 10
        if point < number.count {
            let decimals = number.extracting(droppingFirst: point + 1)
            guard !decimals.isEmpty, let tenth = decimals[0].decimalDigit else { return nil }
            for index in 1..<decimals.count where decimals[index] != UInt8(ascii: "0") { return nil }
            tenths += Int(tenth)  // Fits: twelve digits before the point.
        }
        self.init(tenths: isNegative ? -tenths : tenths)
    }

    /// The percentage with its decimal, if it has one: `-7.5`, `98`.
    public var description: String {
        var text = JSONWriter(capacity: 32)
        write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The percentage with its decimal, whichever it is: `-7.5`, `98.0`.
    public var withDecimal: String { tenths % 10 == 0 ? "\(self).0" : "\(self)" }
}

extension JSONValue {
    /// The number as a percentage.
    public func percent() throws(DecodingError) -> Percent {
        if let percent = withUnescapedBytes(Percent.init(digits:)) { return percent }
        return try decode()  // 1.62e1 is 16.2, too
    }
}

extension Percent: JSONWritable, Decodable {
    /// Writes the percentage with its decimal, if it has one.
    public func write(to json: inout JSONWriter) {
        let (whole, tenth) = tenths.quotientAndRemainder(dividingBy: 10)
        if tenths < 0, whole == 0 { json.append(UInt8(ascii: "-")) }
        json.appendNumber(whole)
        guard tenth != 0 else { return }
        json.append(UInt8(ascii: "."))
        json.appendNumber(abs(tenth))
    }

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
}

extension BinaryInteger {
    /// The number with a comma between thousands: `1,105,780`.
    public var grouped: String {
        var groups: [String] = []
        var rest = UInt64(magnitude)
        while rest >= 1000 {
            groups.append(String(String(1000 + rest % 1000).dropFirst()))
            rest /= 1000
        }
        return (self < 0 ? "-" : "") + ([String(rest)] + groups.reversed()).joined(separator: ",")
    }
}
