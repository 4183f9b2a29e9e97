/// What is wrong with a product that is to be registered or changed.
public struct ProductValidationError: Error, Hashable, Sendable {
    /// The field that breaks a rule, such as `name` or `images[2]`.
    public let field: String
    /// The rule, and how it is broken.
    public let message: String

    /// Makes a fault.
    public init(field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}

extension ProductValidationError: CustomStringConvertible {
    /// One line for people.
    public var description: String { "\(field): \(message)" }
}
