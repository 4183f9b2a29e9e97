public import FoundationEssentials

/// A valid change of a product; a field that is nil stays as it is.
///
/// An empty change is valid too: the service still checks the secret.
public struct ProductChange: Hashable, Sendable {
    /// The new name.
    public let name: String?
    /// The new description.
    public let description: String?
    /// The number of the image that becomes the thumbnail.
    public let thumbnail: Int?
    /// The new currency of all amounts.
    public let currency: Currency?
    /// The new price without the discount.
    public let price: Decimal?
    /// The new discount, an amount.
    public let discount: Decimal?
    /// The new stock.
    public let stock: Int?

    /// Creates a change.
    ///
    /// - Throws: ``ProductValidationError`` with the field that breaks a rule.
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
                field: "thumbnailId", "the thumbnail must be the number of one of the product's images")
        }
        self.name = name
        self.description = description
        self.thumbnail = thumbnail
        self.currency = currency
        self.price = price
        self.discount = discount
        self.stock = stock
    }

    /// A change without fields.
    public static let empty = ProductChange()

    private init() {
        (name, description, thumbnail, currency, price, discount, stock) = (nil, nil, nil, nil, nil, nil, nil)
    }

    /// Checks that the discount is at most the price once the change is applied to `product`.
    public func check(against product: Product) throws(ProductValidationError) {
        guard price != nil || discount != nil else { return }
        try ProductConstraints.check(discount: discount ?? product.discount, of: price ?? product.price)
    }

    /// Whether the change has no field.
    public var isEmpty: Bool { self == .empty }
}

extension ProductChange {
    /// Whether a product has all values of this change; false if it changes the thumbnail, which the service does not
    /// send.
    public func isApplied(to product: Product) -> Bool {
        thumbnail == nil && name.map { $0 == product.name } ?? true
            && description.map { $0 == product.description } ?? true && currency.map { $0 == product.currency } ?? true
            && price.map { $0 == product.price } ?? true && discount.map { $0 == product.discount } ?? true
            && stock.map { $0 == product.stock } ?? true
    }
}
