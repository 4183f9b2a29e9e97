/// A value that is a string in JSON, such as a date or a code: `description` writes it and `init` reads it.
public protocol StringRepresentable: Codable, CustomStringConvertible {
    /// The kind of value, for errors: "2024-02-30" is not a valid *day of the calendar*.
    static var noun: String { get }

    /// Makes the value; nil if the text has another form.
    init?(_ text: String)
}

extension StringRepresentable {
    /// Decodes the value from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.rejectionReason(for: text))
        }
        self = value
    }

    /// Encodes the value as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Returns the reason why a text is refused. The text is untrusted, so it is truncated and escaped.
    static func rejectionReason(for text: String) -> String {
        "\(String(text.prefix(64)).debugDescription) is not a valid \(noun)"
    }
}
