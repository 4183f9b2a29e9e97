public import FoundationEssentials
import Text

/// The Open Market's rules for products. They are checked before anything is sent, because the service's own errors
/// name no field.
public enum ProductConstraints {
    /// Minimum number of characters in a name.
    public static let minimumNameLength = 3
    /// Number of characters in a description.
    public static let descriptionLength = 10...1_000
    /// Number of images of a product.
    public static let imageCount = 1...5
    /// Maximum size of an image in bytes.
    public static let imageBytes = 300 * 1_024

    /// Checks a name.
    public static func check(name: String) throws(ProductValidationError) {
        guard name.trimmed.count >= minimumNameLength else {
            throw ProductValidationError(field: "name", "a name must have at least \(minimumNameLength) characters")
        }
    }

    /// Checks a description.
    public static func check(description: String) throws(ProductValidationError) {
        let count = description.trimmed.count
        guard descriptionLength.contains(count) else {
            throw ProductValidationError(
                field: "description", "a description must have 10 to 1,000 characters, not \(count)")
        }
    }

    /// Checks a price.
    public static func check(price: Decimal) throws(ProductValidationError) {
        guard price.isFinite, price > 0 else {
            throw ProductValidationError(field: "price", "a price must be more than 0")
        }
    }

    /// Checks a discount, and that it is at most the price if that is known.
    public static func check(discount: Decimal, of price: Decimal?) throws(ProductValidationError) {
        guard discount.isFinite, discount >= 0 else {
            throw ProductValidationError(field: "discountedPrice", "a discount must be 0 or more")
        }
        if let price, discount > price {
            throw ProductValidationError(
                field: "discountedPrice", "the discount \(discount) is more than the price \(price)")
        }
    }

    /// Checks a stock.
    public static func check(stock: Int) throws(ProductValidationError) {
        guard stock >= 0 else { throw ProductValidationError(field: "stock", "the stock must be 0 or more") }
    }

    /// Checks the number of images.
    public static func check(imageCount count: Int) throws(ProductValidationError) {
        guard imageCount.contains(count) else {
            throw ProductValidationError(field: "images", "a product must have 1 to 5 images, not \(count)")
        }
    }
}

// MARK: - Error

/// The rule that a product to be registered or changed breaks.
public struct ProductValidationError: Error, Hashable, Sendable {
    /// The field that breaks a rule, such as `name` or `images[2]`.
    public let field: String
    /// The rule, and how it is broken, in English.
    public let message: String

    /// Creates an error.
    public init(field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

extension ProductValidationError: CustomStringConvertible {
    /// The field and the rule on one line.
    public var description: String { "\(field): \(message)" }
}
