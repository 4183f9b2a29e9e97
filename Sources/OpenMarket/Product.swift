public import FoundationEssentials

/// Something for sale, as the market tells of it: what it says is taken as it is, also where it breaks the rules for what
/// is registered today.
public struct Product: Hashable, Sendable {
    /// Who sells it.
    public struct Vendor: Hashable, Sendable {
        /// The vendor's number.
        public var id: Int
        /// The vendor's name; nil where the market leaves it out.
        public var name: String?

        /// Makes a vendor.
        public init(id: Int, name: String?) {
            self.id = id
            self.name = name
        }
    }

    /// One of its pictures.
    public struct Image: Hashable, Sendable, Codable {
        /// The picture's number.
        public var id: Int
        /// Where it is.
        public var url: String
        /// Where a small copy is.
        public var thumbnailURL: String

        /// Makes a picture.
        public init(id: Int, url: String, thumbnailURL: String) {
            self.id = id
            self.url = url
            self.thumbnailURL = thumbnailURL
        }

        private enum CodingKeys: String, CodingKey {
            case id
            case url
            case thumbnailURL = "thumbnailUrl"
        }
    }

    /// Its number.
    public var id: ProductID
    /// Who sells it.
    public var vendor: Vendor
    /// What it is called.
    public var name: String
    /// What is said of it; nil where the market leaves it out, as some of its lists do.
    public var description: String?
    /// Where a small picture is.
    public var thumbnailURL: String
    /// What the amounts are in.
    public var currency: Currency
    /// What it costs without the discount.
    public var price: Decimal
    /// What is taken off.
    public var discount: Decimal
    /// What it costs: the price less the discount.
    public var bargainPrice: Decimal
    /// How many are left; none is sold out.
    public var stock: Int
    /// When it was registered.
    public var created: OpenMarketTime
    /// When it was last changed.
    public var issued: OpenMarketTime
    /// Its pictures; nil where the market leaves them out, as its lists do.
    public var images: [Image]?

    /// Makes a product.
    public init(
        id: ProductID, vendor: Vendor, name: String, description: String? = nil, thumbnailURL: String,
        currency: Currency, price: Decimal, discount: Decimal, bargainPrice: Decimal, stock: Int,
        created: OpenMarketTime,
        issued: OpenMarketTime, images: [Image]? = nil
    ) {
        self.id = id
        self.vendor = vendor
        self.name = name
        self.description = description
        self.thumbnailURL = thumbnailURL
        self.currency = currency
        self.price = price
        self.discount = discount
        self.bargainPrice = bargainPrice
        self.stock = stock
        self.created = created
        self.issued = issued
        self.images = images
    }

    /// Whether none is left.
    public var isSoldOut: Bool { stock == 0 }
    /// Whether it costs less than its price.
    public var isDiscounted: Bool { discount > 0 }
}

extension Product.Vendor: Codable {
    /// Writes both fields, an unknown name as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
    }
}
