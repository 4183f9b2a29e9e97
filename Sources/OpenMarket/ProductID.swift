/// The number that the market gives a product: 1 or more.
public struct ProductID: Hashable, Sendable {
    /// The number.
    public let number: Int

    /// Makes an id, or nothing if the number is none.
    public init?(_ number: Int) {
        guard number > 0 else { return nil }
        self.number = number
    }

    /// Reads an id as `description` writes it, and nothing else.
    public init?(_ text: some StringProtocol) {
        guard let number = Int(text), let id = ProductID(number), id.description == text else { return nil }
        self = id
    }
}

extension ProductID: Comparable {
    /// Older products have the smaller numbers.
    public static func < (one: ProductID, other: ProductID) -> Bool {
        one.number < other.number
    }
}

extension ProductID: CustomStringConvertible {
    /// The number in digits.
    public var description: String { String(number) }
}

extension ProductID: Codable {
    /// Reads the id from a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try container.decode(Int.self)
        guard let id = ProductID(number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(number) is no product's number")
        }
        self = id
    }

    /// Writes the id as a number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
