public import FoundationEssentials
public import JSONCoding
import Text

/// A percentage with at most one decimal, held as whole tenths so that comparing and printing it are exact.
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

    /// Makes a percentage from a decimal number, or nil if it has more than one decimal or is too large.
    public init?(_ decimal: Decimal) {
        let tenths = decimal * 10
        guard abs(tenths) < Decimal(1 << 53), let exact = Int("\(tenths)") else { return nil }
        self.init(tenths: exact)
    }
}

extension Percent: CustomStringConvertible {
    /// Reads a number with a point or without: `27.7`, `-43`, `100.0`; nil if it has more than one decimal.
    public init?(_ text: String) {
        let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        guard let ones = Int(text[..<point]) else { return nil }
        var tenth = 0
        if point < text.endIndex {
            let decimals = text.utf8[point...].dropFirst()
            guard let first = decimals.first?.decimalDigit,
                decimals.dropFirst().allSatisfy({ $0 == UInt8(ascii: "0") })
            else { return nil }
            tenth = Int(first)
        }
        let (tens, isTooLarge) = ones.multipliedReportingOverflow(by: 10)
        // The sign comes from the text, because -0 loses that of -0.5.
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let (tenths, isTooFar) = tens.addingReportingOverflow(isNegative ? -tenth : tenth)
        guard !isTooLarge, !isTooFar else { return nil }
        self.init(tenths: tenths)
    }

    /// Reads the usual form, `-43` or `27.7` with at most twelve digits; nil for any other.
    public init?(digits bytes: Span<UInt8>) {
        let isNegative = !bytes.isEmpty && bytes[0] == UInt8(ascii: "-")
        let number = bytes.extracting(droppingFirst: isNegative ? 1 : 0)
        let point = number.count - 2
        let hasPoint = point > 0 && number[point] == UInt8(ascii: ".")
        let ones = hasPoint ? number.extracting(..<point) : number
        guard ones.count <= 12, let ones = Int(digits: ones) else { return nil }
        var tenths = ones * 10
        if hasPoint {
            guard let tenth = number[point + 1].decimalDigit else { return nil }
            tenths += Int(tenth)
        }
        self.init(tenths: isNegative ? -tenths : tenths)
    }

    /// The percentage with its decimal, if it has one: `-7.5`, `98`.
    public var description: String {
        var text = JSONWriter(capacity: 32)
        write(to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}

extension Percent {
    /// The percentage with its decimal, whichever it is: `-7.5`, `98.0`.
    public var withDecimal: String { tenths % 10 == 0 ? "\(self).0" : "\(self)" }
}

extension JSONValue {
    /// The number as a percentage.
    public func percent() throws(DecodingError) -> Percent {
        if let percent = withUnescapedBytes(Percent.init(digits:)) { return percent }
        if let percent = Percent(try numeral()) { return percent }
        return try decode()  // 1.62e1 is 16.2, too
    }
}

extension Percent: JSONWritable {
    /// Writes the percentage with its decimal, if it has one.
    public func write(to json: inout JSONWriter) {
        let (whole, tenth) = tenths.quotientAndRemainder(dividingBy: 10)
        if tenths < 0, whole == 0 { json.append(UInt8(ascii: "-")) }
        json.appendNumber(whole)
        guard tenth != 0 else { return }
        json.append(UInt8(ascii: "."))
        json.appendNumber(abs(tenth))
    }
}

extension Percent: Decodable {
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
