public import FoundationEssentials

/// A valid product to register.
public struct ProductDraft: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The description.
    public let description: String
    /// The currency of all amounts.
    public let currency: Currency
    /// The price without the discount.
    public let price: Decimal
    /// The discount, an amount.
    public let discount: Decimal
    /// The stock.
    public let stock: Int

    /// Creates a draft.
    ///
    /// - Throws: ``ProductValidationError`` with the field that breaks a rule.
    public init(
        name: String, description: String, currency: Currency = .won, price: Decimal, discount: Decimal = 0,
        stock: Int = 0
    ) throws(ProductValidationError) {
        try ProductConstraints.check(name: name)
        try ProductConstraints.check(description: description)
        try ProductConstraints.check(price: price)
        try ProductConstraints.check(discount: discount, of: price)
        try ProductConstraints.check(stock: stock)
        self.name = name
        self.description = description
        self.currency = currency
        self.price = price
        self.discount = discount
        self.stock = stock
    }
}

extension ProductDraft {
    /// Whether a product has the draft's values; a product without a description, as in lists, matches any.
    public func matches(_ product: Product) -> Bool {
        product.name == name && product.currency == currency && product.price == price && product.discount == discount
            && product.stock == stock && product.description.map { $0 == description } ?? true
    }
}
