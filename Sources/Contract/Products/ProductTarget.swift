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

/// What is to be done in the shop, once.
public enum ProductOrder: Hashable, Sendable {
    /// Register a product, with the images that come with the request.
    case register(ProductDraft)
    /// Change a product.
    case modify(ProductID, ProductChange)
    /// Remove a product.
    case remove(ProductID)

    /// What the topics of the answers begin with; what a registration's product will be called nobody knows.
    var prefixes: [String] {
        switch self {
        case .register: ["\(Stream.product.rawValue)."]
        case .modify(let id, _): ["\(Topic.product(id))"]
        case .remove(let id): ["\(Topic.productRemoved(id))"]
        }
    }
}
