public import FoundationEssentials

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
    /// The percentage with its decimal, if it has one: `-7.5`, `98`.
    public var description: String {
        let (whole, tenth) = abs(tenths).quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + String(whole) + (tenth == 0 ? "" : ".\(tenth)")
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
