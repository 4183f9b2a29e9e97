/// A value that JSON has as a string, such as a day or a code: `description` writes it and `init` reads it.
public protocol StringRepresentable: Codable, CustomStringConvertible {
    /// The kind of value, for errors: "2024-02-30" is not a valid *day of the calendar*.
    static var noun: String { get }

    /// Makes the value; nil if the text does not stand for one.
    init?(_ text: String)
}

extension StringRepresentable {
    /// Decodes the value from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.refusal(of: text))
        }
        self = value
    }

    /// Encodes the value as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The reason why a text is refused. The text may be a stranger's: it is cut and escaped.
    static func refusal(of text: String) -> String {
        "\(String(text.prefix(64)).debugDescription) is not a valid \(noun)"
    }
}
