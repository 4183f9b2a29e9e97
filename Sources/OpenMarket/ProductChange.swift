public import FoundationEssentials

/// What is to be changed of a product; nil leaves a field as it is. What breaks a rule by itself cannot be made.
///
/// A change of nothing is one too: the market looks at the secret that comes with it.
public struct ProductChange: Hashable, Sendable {
    /// What it is to be called.
    public let name: String?
    /// What is to be said of it.
    public let description: String?
    /// Which of its pictures, by number, is to stand for it.
    public let thumbnail: Int?
    /// What its amounts are to be in.
    public let currency: Currency?
    /// What it is to cost without the discount.
    public let price: Decimal?
    /// What is to be taken off.
    public let discount: Decimal?
    /// How many there are to be.
    public let stock: Int?

    /// Makes a change, or names the field that breaks a rule.
    public init(
        name: String? = nil, description: String? = nil, thumbnail: Int? = nil, currency: Currency? = nil,
        price: Decimal? = nil, discount: Decimal? = nil, stock: Int? = nil
    ) throws(ProductValidationError) {
        if let name { try ProductConstraints.check(name: name) }
        if let description { try ProductConstraints.check(description: description) }
        if let price { try ProductConstraints.check(price: price) }
        if let discount { try ProductConstraints.check(discount: discount, of: price) }
        if let stock { try ProductConstraints.check(stock: stock) }
        if let thumbnail, thumbnail < 1 {
            throw ProductValidationError(
                field: "thumbnailId", "a thumbnail is the number of one of the product's pictures")
        }
        self.name = name
        self.description = description
        self.thumbnail = thumbnail
        self.currency = currency
        self.price = price
        self.discount = discount
        self.stock = stock
    }

    /// The change that changes nothing.
    public static let nothing = ProductChange()

    private init() {
        (name, description, thumbnail, currency, price, discount, stock) = (nil, nil, nil, nil, nil, nil, nil)
    }

    /// Checks what only the product itself can tell: that its discount is no more than its price afterwards.
    public func check(against product: Product) throws(ProductValidationError) {
        guard price != nil || discount != nil else { return }
        try ProductConstraints.check(discount: discount ?? product.discount, of: price ?? product.price)
    }

    /// Whether nothing is to be changed.
    public var isEmpty: Bool {
        name == nil && description == nil && thumbnail == nil && currency == nil && price == nil && discount == nil
            && stock == nil
    }
}

extension ProductChange {
    /// Whether a product is as this change wants it; of a thumbnail that cannot be told.
    public func isMade(in product: Product) -> Bool {
        thumbnail == nil && name.map { $0 == product.name } ?? true
            && description.map { $0 == product.description } ?? true && currency.map { $0 == product.currency } ?? true
            && price.map { $0 == product.price } ?? true && discount.map { $0 == product.discount } ?? true
            && stock.map { $0 == product.stock } ?? true
    }
}
