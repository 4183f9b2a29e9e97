public import OpenMarket

/// A query to the shop.
public enum ProductQuery: Hashable, Sendable {
    /// A page of the product list.
    case page(Int, perPage: Int)
    /// All pages of the product list, one after another.
    case catalogue(perPage: Int)
    /// A product.
    case product(ProductID)

    /// The prefixes of the topics of the events that answer the query.
    var prefixes: [String] {
        switch self {
        case .page(let page, let perPage): ["\(Topic.products(page: page, perPage: perPage))"]
        case .catalogue: ["\(Stream.products.rawValue)."]
        case .product(let id): ["\(Topic.product(id))", "\(Topic.productRemoved(id))"]
        }
    }
}

/// A change to the shop, which must be made only once.
public enum ProductOrder: Hashable, Sendable {
    /// Register a product, with the images that come with the request.
    case register(ProductDraft)
    /// Change a product.
    case modify(ProductID, ProductChange)
    /// Remove a product.
    case remove(ProductID)

    /// The prefixes of the topics of the events that answer the order. The id of a product to be registered is unknown.
    var prefixes: [String] {
        switch self {
        case .register: ["\(Stream.product.rawValue)."]
        case .modify(let id, _): ["\(Topic.product(id))"]
        case .remove(let id): ["\(Topic.productRemoved(id))"]
        }
    }
}
