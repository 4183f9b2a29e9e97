/// A value that is read straight from JSON text, because it is read too often for `Decodable`.
///
/// See docs/decisions/json-parser.md.
public protocol JSONReadable {
    /// Reads the value.
    ///
    /// - Throws: A `DecodingError` with the coding path of the value that could not be read.
    init(json: JSONValue) throws(DecodingError)
}

extension JSONReadable {
    /// Reads the value from a whole text.
    ///
    /// - Throws: A `DecodingError`; without a coding path if the text is not JSON.
    public init(json bytes: [UInt8]) throws(DecodingError) {
        try self.init(json: JSONValue(parsing: bytes))
    }
}

extension JSONValue: JSONReadable {
    /// Returns the value itself.
    public init(json: JSONValue) { self = json }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// Reads the values of an array.
    public init(json: JSONValue) throws(DecodingError) {
        self = try json.elements().map { element throws(DecodingError) in try Element(json: element) }
    }
}
