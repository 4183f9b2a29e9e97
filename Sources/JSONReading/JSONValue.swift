/// A value in JSON text that has been looked through once.
///
/// Reading one value does not read the others: nothing is copied, and no object becomes a dictionary. For what is read
/// thousands of times a second; where that does not matter, `decode` reads any `Decodable`. Of members with the same
/// name the first counts.
public struct JSONValue: Sendable {
    let outline: JSONOutline
    let index: Int

    /// Looks through a text, which must be JSON in UTF-8 from its first byte to its last; blanks around it do not count.
    public init(parsing bytes: [UInt8]) throws(DecodingError) {
        self.init(outline: try JSONOutline(bytes), index: 0)
    }

    init(outline: JSONOutline, index: Int) {
        self.outline = outline
        self.index = index
    }

    var node: JSONOutline.Node { outline.nodes[index] }

    /// Its JSON, as it stands in the text.
    public var bytes: [UInt8] {
        let quote = isText ? 1 : 0
        return Array(outline.bytes[Int(node.start) - quote..<Int(node.end) + quote])
    }

    /// Whether it is `null`.
    public var isNull: Bool { node.kind == .null }
    /// Whether it is a text.
    public var isText: Bool { node.kind == .text || node.kind == .escapedText }

    /// The member of an object with this name, or nil if there is none or it is `null`.
    public subscript(name: String) -> JSONValue? {
        get throws(DecodingError) {
            guard let member = try member(name), !member.isNull else { return nil }
            return member
        }
    }

    /// The member of an object with this name; it is an error if there is none.
    public func value(_ name: String) throws(DecodingError) -> JSONValue {
        guard let member = try member(name) else {
            throw .keyNotFound(
                JSONKey(name), DecodingError.Context(codingPath: path, debugDescription: "there is no \(name)"))
        }
        return member
    }

    /// Whether an object has a member with this name, be it `null`.
    public func has(_ name: String) throws(DecodingError) -> Bool { try member(name) != nil }

    /// The values of an array.
    public func elements() throws(DecodingError) -> [JSONValue] {
        guard node.kind == .array else { throw mismatch([JSONValue].self, "an array") }
        return children
    }

    /// The values directly inside an array; names and values in turn inside an object.
    var children: [JSONValue] {
        let nodes = outline.nodes
        var children: [JSONValue] = []
        var child = index + 1
        while child < Int(node.next) {
            children.append(JSONValue(outline: outline, index: child))
            child = Int(nodes[child].next)
        }
        return children
    }

    private func member(_ name: String) throws(DecodingError) -> JSONValue? {
        guard node.kind == .object else { throw mismatch(JSONValue.self, "an object") }
        return outline.member(name, of: index).map { JSONValue(outline: outline, index: $0) }
    }
}
