public import OpenMarket

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
