public import FoundationEssentials
public import JSONCoding

/// A product of the Open Market, as the service describes it. Its values are not validated: older products break the
/// rules for new ones.
public struct Product: Hashable, Sendable {
    /// The vendor of a product.
    public struct Vendor: Hashable, Sendable, Codable {
        /// The vendor's number.
        public var id: Int
        /// The vendor's name; nil if the service leaves it out.
        @Nullable public var name: String?

        /// Creates a vendor.
        public init(id: Int, name: String?) {
            self.id = id
            self.name = name
        }
    }

    /// An image of a product.
    public struct Image: Hashable, Sendable, Codable {
        /// The image's number.
        public var id: Int
        /// The image's URL.
        public var url: String
        /// The thumbnail's URL.
        public var thumbnailURL: String

        /// Creates an image.
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

    /// The product's number.
    public var id: ProductID
    /// The product's vendor.
    public var vendor: Vendor
    /// The product's name.
    public var name: String
    /// The description; nil if the service leaves it out, as some lists do.
    public var description: String?
    /// The thumbnail's URL.
    public var thumbnailURL: String
    /// The currency of all amounts.
    public var currency: Currency
    /// The price without the discount.
    public var price: Decimal
    /// The discount, an amount (not a percentage).
    public var discount: Decimal
    /// The price less the discount.
    public var bargainPrice: Decimal
    /// The number in stock; 0 means sold out.
    public var stock: Int
    /// The time of registration.
    public var created: OpenMarketTime
    /// The time of the last change.
    public var issued: OpenMarketTime
    /// The images; nil if the service leaves them out, as lists do.
    public var images: [Image]?

    /// Creates a product.
    public init(
        id: ProductID, vendor: Vendor, name: String, description: String? = nil, thumbnailURL: String,
        currency: Currency, price: Decimal, discount: Decimal, bargainPrice: Decimal, stock: Int,
        created: OpenMarketTime, issued: OpenMarketTime, images: [Image]? = nil
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

    /// Whether the stock is 0.
    public var isSoldOut: Bool { stock == 0 }
    /// Whether there is a discount.
    public var isDiscounted: Bool { discount > 0 }
}

// MARK: - Coding

/// The fields have the names of the third generation, in camel case.
extension Product: Codable {
    private enum CodingKeys: String, CodingKey {
        case id
        case vendor = "vendors"
        case name
        case description
        case thumbnailURL = "thumbnail"
        case currency
        case price
        case discount = "discountedPrice"
        case bargainPrice
        case stock
        case created = "createdAt"
        case issued = "issuedAt"
        case images
    }

    /// The field that repeats the vendor's number.
    private enum VendorKey: String, CodingKey {
        case id = "vendorId"
    }

    /// Encodes every field, unknown ones as null.
    public func encode(to encoder: any Encoder) throws {
        var vendorContainer = encoder.container(keyedBy: VendorKey.self)
        try vendorContainer.encode(vendor.id, forKey: .id)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(vendor, forKey: .vendor)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(thumbnailURL, forKey: .thumbnailURL)
        try container.encode(currency, forKey: .currency)
        try container.encode(price, forKey: .price)
        try container.encode(discount, forKey: .discount)
        try container.encode(bargainPrice, forKey: .bargainPrice)
        try container.encode(stock, forKey: .stock)
        try container.encode(created, forKey: .created)
        try container.encode(issued, forKey: .issued)
        try container.encode(images, forKey: .images)
    }
}

// MARK: - Removed product

/// A product that was removed from the Open Market.
public struct RemovedProduct: Hashable, Sendable, Codable {
    /// The product's number, which is never reused.
    public let id: ProductID
    /// The product as last seen; nil if it never was.
    @Nullable public var product: Product?

    /// Creates a removed product.
    public init(id: ProductID, product: Product?) {
        self.id = id
        self.product = product
    }
}
