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

    /// A text as a JSON string, in its quotes.
    static func quoted(_ text: String) -> [UInt8] {
        var json: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case ..<0x20: json += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
        return json
    }
}
