internal import Text

/// A name with a value: a query item or a header.
///
/// A secret's value is in the request that is sent and nowhere else: every way of printing a field shows `***`.
public struct HTTPField: Hashable, Sendable {
    /// The name, as it is sent.
    public let name: String
    /// The value, not yet percent-encoded.
    public let value: String
    /// Whether the value must never be shown.
    public let isSecret: Bool

    /// Makes a field.
    public init(_ name: String, _ value: String, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }
}

extension HTTPField: CustomStringConvertible, CustomReflectable {
    /// The field as a header line, a secret as `***`.
    public var description: String {
        "\(name): \(isSecret ? Redactor.mark : value)"
    }

    /// What `dump` shows: the same.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": isSecret ? Redactor.mark : value])
    }
}
