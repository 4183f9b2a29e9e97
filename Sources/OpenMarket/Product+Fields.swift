import FoundationEssentials

/// The fields are those of the market's third generation, in camel case.
extension Product: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case vendorID = "vendorId"
        case vendors
        case name
        case description
        case thumbnail
        case currency
        case price
        case discountedPrice
        case bargainPrice
        case stock
        case createdAt
        case issuedAt
        case images
    }

    /// Reads what is written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ProductID.self, forKey: .id),
            vendor: try container.decode(Vendor.self, forKey: .vendors),
            name: try container.decode(String.self, forKey: .name),
            description: try container.decodeIfPresent(String.self, forKey: .description),
            thumbnailURL: try container.decode(String.self, forKey: .thumbnail),
            currency: try container.decode(Currency.self, forKey: .currency),
            price: try container.decode(Decimal.self, forKey: .price),
            discount: try container.decode(Decimal.self, forKey: .discountedPrice),
            bargainPrice: try container.decode(Decimal.self, forKey: .bargainPrice),
            stock: try container.decode(Int.self, forKey: .stock),
            created: try container.decode(OpenMarketTime.self, forKey: .createdAt),
            issued: try container.decode(OpenMarketTime.self, forKey: .issuedAt),
            images: try container.decodeIfPresent([Image].self, forKey: .images))
    }

    /// Writes every field, unknown ones as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(vendor.id, forKey: .vendorID)
        try container.encode(vendor, forKey: .vendors)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(thumbnailURL, forKey: .thumbnail)
        try container.encode(currency, forKey: .currency)
        try container.encode(price, forKey: .price)
        try container.encode(discount, forKey: .discountedPrice)
        try container.encode(bargainPrice, forKey: .bargainPrice)
        try container.encode(stock, forKey: .stock)
        try container.encode(created, forKey: .createdAt)
        try container.encode(issued, forKey: .issuedAt)
        try container.encode(images, forKey: .images)
    }
}
