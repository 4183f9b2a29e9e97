import FoundationEssentials

/// JSON of `Encodable` and `Decodable` values.
///
/// Members are sorted by name, so that equal values have equal bytes. A ``JSONWritable`` value has its JSON in `json`.
public enum JSON {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// Returns the JSON of a value.
    public static func encode(_ value: some Encodable) throws(EncodingError) -> [UInt8] {
        do {
            return Array(try encoder.encode(value))
        } catch let error as EncodingError {
            throw error
        } catch {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "cannot encode \(type(of: value)) as JSON", underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }

    /// Returns the JSON of a value that can always be encoded: strings, whole numbers, Booleans, arrays and objects.
    public static func encodeInfallibly(_ value: some Encodable) -> [UInt8] {
        do throws(EncodingError) {
            return try encode(value)
        } catch {
            preconditionFailure("cannot encode \(type(of: value)) as JSON: \(error)")
        }
    }

    /// Returns the value that JSON represents.
    public static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(DecodingError) -> Value {
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw error
        } catch {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "cannot decode \(type)", underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// Returns the value that JSON represents, of a type that is read straight from the text.
    public static func decode<Value: JSONReadable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(DecodingError) -> Value {
        try Value(json: bytes)
    }
}

/// An optional that is written as `null` where it is nil, instead of being left out, and read from either.
@propertyWrapper
public struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The value, if there is one.
    public var wrappedValue: Value?

    /// Makes the wrapper.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    /// Reads the value, or nil from `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    /// Writes the value, or `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Reads a nullable value whose key may be missing; synthesized decoding finds this overload by its type.
    public func decode<Value>(_ type: Nullable<Value>.Type, forKey key: Key) throws -> Nullable<Value> {
        try decodeIfPresent(type, forKey: key) ?? Nullable(wrappedValue: nil)
    }
}

/// A value that is a string in JSON, such as a date or a code: `description` writes it and `init` reads it.
public protocol StringRepresentable: Codable, CustomStringConvertible {
    /// The kind of value, for errors: "2024-02-30" is not a valid *day of the calendar*.
    static var noun: String { get }

    /// Makes the value; nil if the text has another form.
    init?(_ text: String)
}

extension StringRepresentable {
    /// Reads the value.
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
