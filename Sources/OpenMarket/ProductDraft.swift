public import FoundationEssentials
import Text

/// A valid product to register.
public struct ProductDraft: Hashable, Sendable {
    /// The texts.
    public let name, description: String
    /// The currency of all amounts.
    public let currency: Currency
    /// The price without the discount, and the discount, an amount.
    public let price, discount: Decimal
    /// The stock.
    public let stock: Int

    /// Creates a draft; throws the error of the field that breaks a rule.
    public init(
        name: String, description: String, currency: Currency = .won, price: Decimal, discount: Decimal = 0,
        stock: Int = 0
    ) throws(ProductValidationError) {
        _ = try ProductChange(
            name: name, description: description, currency: currency, price: price, discount: discount, stock: stock)
        self.name = name
        self.description = description
        self.currency = currency
        self.price = price
        self.discount = discount
        self.stock = stock
    }

    /// Whether a product has the draft's values; a product without a description, as in lists, matches any.
    public func matches(_ product: Product) -> Bool {
        product.name == name && product.currency == currency && product.price == price && product.discount == discount
            && product.stock == stock && product.description.map { $0 == description } ?? true
    }
}

/// A valid change of a product; a field that is nil stays as it is.
///
/// The Open Market's rules are checked before anything is sent, because the service's own errors name no field. An empty
/// change is valid too: the service still checks the secret.
public struct ProductChange: Hashable, Sendable {
    /// The new texts.
    public let name, description: String?
    /// The number of the image that becomes the thumbnail.
    public let thumbnail: Int?
    /// The new currency of all amounts.
    public let currency: Currency?
    /// The new price without the discount, and the new discount, an amount.
    public let price, discount: Decimal?
    /// The new stock.
    public let stock: Int?

    /// Creates a change; throws the error of the field that breaks a rule.
    public init(
        name: String? = nil, description: String? = nil, thumbnail: Int? = nil, currency: Currency? = nil,
        price: Decimal? = nil, discount: Decimal? = nil, stock: Int? = nil
    ) throws(ProductValidationError) {
        func require(_ isMet: Bool, _ field: String, _ rule: String) throws(ProductValidationError) {
            if !isMet { throw ProductValidationError(field: field, rule) }
        }
        try require((name?.trimmed.count ?? 3) >= 3, "name", "a name must have at least 3 characters")
        let length = description?.trimmed.count ?? 10
        try require(
            (10...1_000).contains(length), "description",
            "a description must have 10 to 1,000 characters, not \(length)")
        try require(price.map { $0.isFinite && $0 > 0 } ?? true, "price", "a price must be more than 0")
        try require(discount.map { $0.isFinite && $0 >= 0 } ?? true, "discountedPrice", "a discount must be 0 or more")
        try Self.check(discount, of: price)
        try require((stock ?? 0) >= 0, "stock", "the stock must be 0 or more")
        try require(
            (thumbnail ?? 1) >= 1, "thumbnailId", "the thumbnail must be the number of one of the product's images")
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
        try Self.check(discount ?? product.discount, of: price ?? product.price)
    }

    private static func check(_ discount: Decimal?, of price: Decimal?) throws(ProductValidationError) {
        guard let discount, let price, discount > price else { return }
        throw ProductValidationError(
            field: "discountedPrice", "the discount \(discount) is more than the price \(price)")
    }

    /// Whether the change has no field.
    public var isEmpty: Bool { self == .empty }

    /// Whether a product has all values of this change; false if it changes the thumbnail, which the service does not
    /// send.
    public func isApplied(to product: Product) -> Bool {
        thumbnail == nil && name.map { $0 == product.name } ?? true
            && description.map { $0 == product.description } ?? true && currency.map { $0 == product.currency } ?? true
            && price.map { $0 == product.price } ?? true && discount.map { $0 == product.discount } ?? true
            && stock.map { $0 == product.stock } ?? true
    }
}

// MARK: - Rules

/// The Open Market's rules for a product's images.
public enum ProductConstraints {
    /// Number of images of a product.
    public static let imageCount = 1...5
    /// Maximum size of an image in bytes.
    public static let imageBytes = 300 * 1_024

    /// Checks the number of images.
    public static func check(imageCount count: Int) throws(ProductValidationError) {
        guard imageCount.contains(count) else {
            throw ProductValidationError(field: "images", "a product must have 1 to 5 images, not \(count)")
        }
    }
}

// MARK: - Error

/// The rule that a product to be registered or changed breaks.
public struct ProductValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field that breaks a rule, such as `name` or `images[2]`.
    public let field: String
    /// The rule, and how it is broken, in English.
    public let message: String

    /// Creates an error.
    public init(field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    /// The field and the rule on one line.
    public var description: String { "\(field): \(message)" }
}
