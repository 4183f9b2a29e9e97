import FoundationEssentials

/// What a vendor sends of a product, to register or to change it: what is left out stays as it is.
struct ProductForm: Decodable, Sendable {
    let name: String?
    /// What the third generation says.
    let descriptions: String?
    /// What the fourth generation says.
    let description: String?
    let thumbnail: Int?
    let price: Double?
    let currency: String?
    let discount: Double?
    let stock: Int?
    let secret: String?

    private enum CodingKeys: String, CodingKey {
        case name
        case descriptions
        case description
        case thumbnail = "thumbnail_id"
        case price
        case currency
        case discount = "discounted_price"
        case stock
        case secret
    }

    /// The text of the generation that is spoken; the other's is not known there.
    func text(_ generation: OpenMarketHandler.Generation) -> String? {
        generation == .v3 ? descriptions : description
    }

    /// Whether nothing is to be changed.
    var isEmpty: Bool {
        name == nil && descriptions == nil && description == nil && thumbnail == nil && price == nil && currency == nil
            && discount == nil && stock == nil
    }

    /// Why the market does not take it, if it does not.
    var refusal: String? {
        if let currency, currency != "KRW", currency != "USD" { return "currency must be KRW or USD" }
        if let price, price < 0 { return "price must not be negative" }
        if let stock, stock < 0 { return "stock must not be negative" }
        return nil
    }

    func apply(to product: inout OpenMarketStore.Product) {
        product.name = name ?? product.name
        product.description = descriptions ?? description ?? product.description
        product.currency = currency ?? product.currency
        product.price = price ?? product.price
        product.discount = discount ?? product.discount
        product.stock = stock ?? product.stock
        if let thumbnail, product.images.contains(where: { $0.id == thumbnail }) { product.thumbnail = thumbnail }
    }
}
