/// A page of the Open Market's list, newest products first.
public struct ProductPage: Hashable, Sendable {
    /// Number of products that can be requested for a page.
    public static let perPage = 1...100

    /// The page's number, from 1.
    public var page: Int
    /// The requested number of products per page.
    public var perPage: Int
    /// The total number of products, as the service reports it.
    public var total: Int
    /// The number of the last page.
    public var lastPage: Int
    /// The products, each once. They can be more than requested, because the service's pages sometimes overlap.
    public var products: [Product]

    /// Creates a page; of a product that occurs twice, the first occurrence counts.
    public init(page: Int, perPage: Int, total: Int, lastPage: Int, products: [Product]) {
        self.page = page
        self.perPage = perPage
        self.total = total
        self.lastPage = lastPage
        var seen: Set<ProductID> = []
        self.products = products.filter { seen.insert($0.id).inserted }
    }

    /// Whether another page follows.
    public var hasNext: Bool { page < lastPage }

    /// The place of the page's first product in the whole list, from 0.
    public var offset: Int { max(0, limit &- perPage) }  // wraps around for numbers that no page has
    /// The place behind the page's last product: the service calls it so, and it is no number of products.
    public var limit: Int {
        // The page's number comes from strangers.
        let (place, overflows) = page.multipliedReportingOverflow(by: perPage)
        return overflows ? .max : place
    }
}

/// The fields have the names of the third generation, in camel case.
extension ProductPage: Codable {
    private enum CodingKeys: String, CodingKey {
        case page = "pageNo"
        case perPage = "itemsPerPage"
        case total = "totalCount"
        case lastPage
        case products = "pages"
    }

    /// The fields that follow from the others.
    private enum DerivedKey: CodingKey {
        case offset
        case limit
        case hasNext
        case hasPrev
    }

    /// Encodes every field; derived fields are the same for both generations.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(page, forKey: .page)
        try container.encode(perPage, forKey: .perPage)
        try container.encode(total, forKey: .total)
        try container.encode(lastPage, forKey: .lastPage)
        try container.encode(products, forKey: .products)
        var derived = encoder.container(keyedBy: DerivedKey.self)
        try derived.encode(offset, forKey: .offset)
        try derived.encode(limit, forKey: .limit)
        try derived.encode(hasNext, forKey: .hasNext)
        try derived.encode(page > 1, forKey: .hasPrev)
    }
}
