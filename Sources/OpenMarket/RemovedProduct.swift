/// A product that is no longer in the market.
public struct RemovedProduct: Hashable, Sendable, Codable {
    /// Its number, which no other product gets.
    public let id: ProductID
    /// What it was when it was last seen; nil if it never was.
    public let product: Product?

    /// Makes the knowledge that a product is gone.
    public init(id: ProductID, product: Product?) {
        self.id = id
        self.product = product
    }

    /// Writes both fields, an unknown product as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(product, forKey: .product)
    }
}
