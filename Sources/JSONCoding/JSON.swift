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

    /// Returns the JSON of a value that can always be encoded: strings, whole numbers, Booleans, and arrays and objects of
    /// them.
    ///
    /// - Precondition: the value can be encoded.
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
