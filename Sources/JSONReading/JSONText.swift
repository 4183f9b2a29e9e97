/// A value that is a text in JSON, such as a day or a code: the one that `description` writes and `init` reads.
public protocol JSONText: Codable, CustomStringConvertible {
    /// What the value is, for errors: "2024-02-30" is no *day of the calendar*.
    static var noun: String { get }

    /// Makes the value, or nothing if the text does not stand for one.
    init?(_ text: String)
}

extension JSONText {
    /// Reads the value from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.refusal(of: text))
        }
        self = value
    }

    /// Writes the value as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Why a text is refused; what a stranger wrote is shown cut and escaped.
    @usableFromInline
    static func refusal(of text: String) -> String {
        "\(String(text.prefix(64)).debugDescription) is no \(noun)"
    }
}

extension JSONValue {
    /// The text as the value that it stands for.
    @inlinable
    public func text<Value: JSONText>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        let text = try text()
        guard let value = Value(text) else { throw unreadable(Value.refusal(of: text)) }
        return value
    }
}
