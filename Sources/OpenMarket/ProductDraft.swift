public import FoundationEssentials

/// A product that is to be registered: what breaks a rule cannot be made.
public struct ProductDraft: Hashable, Sendable {
    /// What it is called.
    public let name: String
    /// What is said of it.
    public let description: String
    /// What its amounts are in.
    public let currency: Currency
    /// What it costs without the discount.
    public let price: Decimal
    /// What is taken off.
    public let discount: Decimal
    /// How many there are.
    public let stock: Int

    /// Makes a draft, or names the field that breaks a rule.
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
    /// Whether a product is what this draft became; of a list's line that has no description, none is compared.
    public func matches(_ product: Product) -> Bool {
        product.name == name && product.currency == currency && product.price == price && product.discount == discount
            && product.stock == stock && product.description.map { $0 == description } ?? true
    }
}
