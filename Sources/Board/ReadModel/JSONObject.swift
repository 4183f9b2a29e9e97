/// A JSON object made of members that are JSON already, which keeps the data of events as it was received.
struct JSONObject {
    /// The object's text in UTF-8.
    let bytes: [UInt8]

    /// Makes an object. The names are not escaped: they must be plain ASCII without quotes.
    init(_ members: [(name: String, value: [UInt8])]) {
        let texts = members.map { name, value in Array("\"\(name)\":".utf8) + value }
        bytes = [UInt8(ascii: "{")] + Array(texts.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "}")]
    }

    /// Returns an array of values that are JSON already.
    static func list(_ values: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(values.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }

    /// Returns the value, or `null`.
    static func orNull(_ value: [UInt8]?) -> [UInt8] {
        value ?? Array("null".utf8)
    }
}
