public import OpenMarket

/// What is asked of the shop.
public enum ProductQuery: Hashable, Sendable {
    /// A page of its list.
    case page(Int, perPage: Int)
    /// All pages, one after another.
    case catalogue(perPage: Int)
    /// A product.
    case product(ProductID)

    /// What the topics of the answers begin with.
    var prefixes: [String] {
        switch self {
        case .page(let page, let perPage): ["\(Topic.products(page: page, perPage: perPage))"]
        case .catalogue: ["\(Stream.products.rawValue)."]
        case .product(let id): ["\(Topic.product(id))", "\(Topic.productRemoved(id))"]
        }
    }
}
