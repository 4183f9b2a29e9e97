public import FoundationEssentials

/// What the market takes: the rules are checked before anything is sent, because the market's own errors name no field.
public enum ProductConstraints {
    /// How many characters a name has at least.
    public static let shortestName = 3
    /// How many characters a description has.
    public static let descriptionLength = 10...1_000
    /// How many pictures a product has.
    public static let imageCount = 1...5
    /// The most bytes a picture may have that is sent to the market.
    public static let imageBytes = 300 * 1_024

    /// Checks a name.
    public static func check(name: String) throws(ProductValidationError) {
        guard trimmed(name).count >= shortestName else {
            throw ProductValidationError(field: "name", "a name has at least \(shortestName) characters")
        }
    }

    /// Checks a description.
    public static func check(description: String) throws(ProductValidationError) {
        let count = trimmed(description).count
        guard descriptionLength.contains(count) else {
            throw ProductValidationError(field: "description", "a description has 10 to 1,000 characters, not \(count)")
        }
    }

    /// Checks a price.
    public static func check(price: Decimal) throws(ProductValidationError) {
        guard price.isFinite, price > 0 else { throw ProductValidationError(field: "price", "a price is more than 0") }
    }

    /// Checks a discount beside the price it is taken off, if that is known.
    public static func check(discount: Decimal, of price: Decimal?) throws(ProductValidationError) {
        guard discount.isFinite, discount >= 0 else {
            throw ProductValidationError(field: "discountedPrice", "a discount is 0 or more")
        }
        if let price, discount > price {
            throw ProductValidationError(
                field: "discountedPrice", "a discount of \(discount) is more than the price, \(price)")
        }
    }

    /// Checks a stock.
    public static func check(stock: Int) throws(ProductValidationError) {
        guard stock >= 0 else { throw ProductValidationError(field: "stock", "a stock is 0 or more") }
    }

    /// Checks how many pictures there are.
    public static func check(imageCount count: Int) throws(ProductValidationError) {
        guard imageCount.contains(count) else {
            throw ProductValidationError(field: "images", "a product has 1 to 5 images, not \(count)")
        }
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
