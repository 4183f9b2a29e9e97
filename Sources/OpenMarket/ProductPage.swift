/// A page of the market's list, the newest products first.
public struct ProductPage: Hashable, Sendable, Codable {
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
