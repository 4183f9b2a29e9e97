/// A page of the market's list, the newest products first.
public struct ProductPage: Hashable, Sendable {
    /// How many products may be asked for at once.
    public static let perPage = 1...100

    /// The page's number, from 1.
    public var page: Int
    /// How many products were asked for.
    public var perPage: Int
    /// How many products the market says it has.
    public var total: Int
    /// The number of the last page.
    public var lastPage: Int
    /// What stands on the page, no product twice. It may be more than was asked for: the market's pages overlap at times.
    public var products: [Product]

    /// Makes a page; of a product that is named twice the first counts.
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
}

/// The fields are those of the market's third generation, in camel case.
extension ProductPage: Codable {
    private enum CodingKeys: CodingKey {
        case pageNo
        case itemsPerPage
        case totalCount
        case offset
        case limit
        case lastPage
        case hasNext
        case hasPrev
        case pages
    }

    /// Reads what is written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            page: try container.decode(Int.self, forKey: .pageNo),
            perPage: try container.decode(Int.self, forKey: .itemsPerPage),
            total: try container.decode(Int.self, forKey: .totalCount),
            lastPage: try container.decode(Int.self, forKey: .lastPage),
            products: try container.decode([Product].self, forKey: .pages))
    }

    /// Writes every field; what follows from others is the same in both generations.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(page, forKey: .pageNo)
        try container.encode(perPage, forKey: .itemsPerPage)
        try container.encode(total, forKey: .totalCount)
        try container.encode((page - 1) * perPage, forKey: .offset)
        try container.encode(perPage, forKey: .limit)
        try container.encode(lastPage, forKey: .lastPage)
        try container.encode(hasNext, forKey: .hasNext)
        try container.encode(page > 1, forKey: .hasPrev)
        try container.encode(products, forKey: .pages)
    }
}
