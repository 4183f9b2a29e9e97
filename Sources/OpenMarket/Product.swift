public import FoundationEssentials
public import JSONCoding

/// A product of the Open Market, as the service describes it. Its values are not validated: older products break the
/// rules for new ones.
///
/// The fields have the names that the service sends, in camel case; unknown ones are null.
public struct Product: Hashable, Sendable, Codable {
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
            case id, url
            case thumbnailURL = "thumbnailUrl"
        }
    }

    /// The product's number.
    public var id: ProductID
    /// The product's vendor.
    public let vendor: Vendor
    /// The shop repeats the vendor's number.
    private let vendorID: Int
    /// The product's name.
    public var name: String
    /// The description; nil if the service leaves it out, as some lists do.
    @Nullable public var description: String?
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
    /// The times of registration and of the last change.
    public var created, issued: OpenMarketTime
    /// The images; nil if the service leaves them out, as lists do.
    @Nullable public var images: [Image]?

    private enum CodingKeys: String, CodingKey {
        case id, name, description, currency, price, bargainPrice, stock, images
        case vendor = "vendors"
        case vendorID = "vendorId"
        case thumbnailURL = "thumbnail"
        case discount = "discountedPrice"
        case created = "createdAt"
        case issued = "issuedAt"
    }

    /// Creates a product.
    public init(
        id: ProductID, vendor: Vendor, name: String, description: String? = nil, thumbnailURL: String,
        currency: Currency, price: Decimal, discount: Decimal, bargainPrice: Decimal, stock: Int,
        created: OpenMarketTime, issued: OpenMarketTime, images: [Image]? = nil
    ) {
        self.id = id
        self.vendor = vendor
        vendorID = vendor.id
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

// MARK: - Number

/// The number of a product: 1 or more.
public struct ProductID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int  // Fits: nothing is added to it.
    /// The number.
    public var number: Int { rawValue }
    /// The number in digits.
    public var description: String { String(rawValue) }

    /// Creates an ID; nil if the number is less than 1.
    public init?(rawValue: Int) {
        guard rawValue > 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Creates an ID; nil if the number is less than 1.
    public init?(_ number: Int) { self.init(rawValue: number) }

    /// Parses an ID as `description` writes it; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard let number = Int(text), String(number) == text else { return nil }
        self.init(rawValue: number)
    }

    /// Whether the first product is older: numbers grow.
    public static func < (one: ProductID, other: ProductID) -> Bool { one.rawValue < other.rawValue }
}

// MARK: - Page

/// A page of the Open Market's list, newest products first.
public struct ProductPage: Hashable, Sendable, Codable {
    /// Number of products that can be requested for a page.
    public static let perPage = 1...100

    /// The page's number, from 1.
    public let page: Int
    /// The requested number of products per page.
    public let perPage: Int
    /// The total number of products, as the service reports it.
    public let total: Int
    /// The number of the last page.
    public let lastPage: Int
    /// Whether another page follows.
    public let hasNext: Bool
    private let hasPrev: Bool
    /// The place of the page's first product in the whole list, from 0.
    private let offset: Int  // Fits: see its computation.
    /// The place behind the page's last product: the service calls it so, and it is no number of products.
    private let limit: Int
    /// The products, each once.
    public var products: [Product]

    private enum CodingKeys: String, CodingKey {
        case lastPage, hasNext, hasPrev, offset, limit
        case page = "pageNo"
        case perPage = "itemsPerPage"
        case total = "totalCount"
        case products = "pages"
    }

    /// Creates a page; of a product that occurs twice, the first occurrence counts.
    public init(page: Int, perPage: Int, total: Int, lastPage: Int, products: [Product]) {
        self.page = page
        self.perPage = perPage
        self.total = total
        self.lastPage = lastPage
        hasNext = page < lastPage
        hasPrev = page > 1
        // The page's number comes from strangers.
        let (place, overflows) = page.multipliedReportingOverflow(by: perPage)
        limit = overflows ? .max : place
        offset = max(0, limit &- perPage)  // wraps around for numbers that no page has
        var seen: Set<ProductID> = []
        self.products = products.filter { seen.insert($0.id).inserted }
    }
}
