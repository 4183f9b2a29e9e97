/// The number of a product: 1 or more.
public struct ProductID: Hashable, Sendable {
    /// The number.
    public let number: Int

    /// Creates an ID; nil if the number is less than 1.
    public init?(_ number: Int) {
        guard number > 0 else { return nil }
        self.number = number
    }

    /// Parses an ID as `description` writes it; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let number = Int(text), let id = ProductID(number), id.description == text else { return nil }
        self = id
    }
}

extension ProductID: Comparable {
    /// Whether the first product is older: numbers grow.
    public static func < (one: ProductID, other: ProductID) -> Bool {
        one.number < other.number
    }
}

extension ProductID: CustomStringConvertible {
    /// The number in digits.
    public var description: String { String(number) }
}

extension ProductID: Codable {
    /// Decodes an ID from a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try container.decode(Int.self)
        guard let id = ProductID(number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(number) is not a product number")
        }
        self = id
    }

    /// Encodes an ID as a number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
