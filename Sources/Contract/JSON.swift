import FoundationEssentials
public import JSONReading

/// The one place where values become JSON and JSON becomes values.
///
/// Keys are sorted, so that equal values have equal bytes.
public enum JSON {
    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// The JSON of a value.
    public static func encode(_ value: some Encodable) throws(EncodingError) -> [UInt8] {
        if let value = value as? any JSONWritable { return value.json }
        do {
            return Array(try encoder.encode(value))
        } catch let error as EncodingError {
            throw error
        } catch {
            let context = EncodingError.Context(
                codingPath: [], debugDescription: "\(type(of: value)) has no JSON", underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }

    /// The value that JSON stands for.
    public static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(DecodingError) -> Value {
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw error
        } catch {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "this is no JSON of \(type)", underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// The value that JSON stands for, of a type that is read straight from the text.
    public static func decode<Value: JSONReadable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(DecodingError) -> Value {
        try Value(json: bytes)
    }
}
