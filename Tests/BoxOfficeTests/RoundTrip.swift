import FoundationEssentials
import JSONCoding

// The JSON that the project writes of a value, as text, and the value that it reads of a text: by both ways that types have.

func jsonText(_ value: some Encodable) throws -> String {
    String(decoding: try JSON.encode(value), as: UTF8.self)
}

func jsonText(_ value: some JSONWritable) throws -> String {
    String(decoding: value.json, as: UTF8.self)
}

func readJSON<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}

func readJSON<Value: JSONReadable>(_ type: Value.Type, _ text: String) throws -> Value {
    try Value(json: Array(text.utf8))
}

func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try readJSON(Value.self, jsonText(value))
}

func roundTrip<Value: JSONWritable & Decodable>(_ value: Value) throws -> Value {
    try readJSON(Value.self, jsonText(value))
}

func roundTrip<Value: JSONWritable & JSONReadable>(_ value: Value) throws -> Value {
    try readJSON(Value.self, jsonText(value))
}
