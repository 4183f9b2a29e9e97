/// A JSON object put together from members that are JSON already, so that what came as JSON goes out as it came.
struct JSONObject {
    /// The object's text in UTF-8.
    let bytes: [UInt8]

    /// Makes an object; the names are ours and need no escaping.
    init(_ members: [(name: String, value: [UInt8])]) {
        let texts = members.map { name, value in Array("\"\(name)\":".utf8) + value }
        bytes = [UInt8(ascii: "{")] + Array(texts.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "}")]
    }

    /// A list of values that are JSON already.
    static func list(_ values: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(values.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }

    /// The value of something that may be missing.
    static func orNull(_ value: [UInt8]?) -> [UInt8] {
        value ?? Array("null".utf8)
    }
}
