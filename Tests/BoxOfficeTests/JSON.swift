import FoundationEssentials
import JSONReading

/// The way the project writes JSON, so that tests can compare whole texts.
enum JSON {
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    static func read<Value: JSONReadable>(_ type: Value.Type, _ text: String) throws -> Value {
        try Value(json: Array(text.utf8))
    }

    /// What `value` reads back as.
    static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try read(Value.self, text(value))
    }

    static func roundTrip<Value: Encodable & JSONReadable>(_ value: Value) throws -> Value {
        try read(Value.self, text(value))
    }
}
