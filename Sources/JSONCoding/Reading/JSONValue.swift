import Text

/// A value in JSON text that was scanned once.
///
/// Reading a value reads no other: nothing is copied, and no object becomes a dictionary. It is meant for text that is read
/// thousands of times a second; elsewhere `decode` reads any `Decodable`. Of members with the same name the first counts.
public struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    /// Scans a text, which must be JSON in UTF-8 from its first byte to its last; whitespace around the value is allowed.
    ///
    /// - Throws: `DecodingError.dataCorrupted` with the reason and the offset of the first wrong byte.
    public init(parsing bytes: [UInt8]) throws(DecodingError) {
        self.init(tape: try JSONTape(bytes), index: 0)
    }

    init(tape: JSONTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    var node: JSONTape.Node { tape.nodes[index] }

    // MARK: Kind

    /// Whether it is `null`.
    public var isNull: Bool { node.kind == .null }
    /// Whether it is a string.
    public var isText: Bool { node.kind == .string || node.kind == .escapedString }

    // MARK: Objects and arrays

    /// The member of an object with this name; nil if there is none or it is `null`.
    public subscript(name: String) -> JSONValue? {
        get throws(DecodingError) {
            guard let member = try member(name), !member.isNull else { return nil }
            return member
        }
    }

    /// Returns the member of an object with this name, and throws if there is none.
    public func value(_ name: String) throws(DecodingError) -> JSONValue {
        guard let member = try member(name) else {
            throw .keyNotFound(
                JSONKey(name), DecodingError.Context(codingPath: path, debugDescription: "missing member \"\(name)\""))
        }
        return member
    }

    /// Returns whether an object has a member with this name, even if it is `null`.
    public func has(_ name: String) throws(DecodingError) -> Bool { try member(name) != nil }

    private func member(_ name: String) throws(DecodingError) -> JSONValue? {
        guard node.kind == .object else { throw mismatch(JSONValue.self, "an object") }
        return tape.member(name, of: index).map { JSONValue(tape: tape, index: $0) }
    }

    /// Returns the values of an array.
    public func elements() throws(DecodingError) -> [JSONValue] {
        guard node.kind == .array else { throw mismatch([JSONValue].self, "an array") }
        return children
    }

    /// The direct children: the values of an array, or the names and values of an object in turn.
    var children: [JSONValue] {
        let nodes = tape.nodes
        var children: [JSONValue] = []
        var child = index + 1
        while child < Int(node.next) {
            children.append(JSONValue(tape: tape, index: child))
            child = Int(nodes[child].next)
        }
        return children
    }

    // MARK: Strings, numbers and flags

    /// Returns the string.
    public func text() throws(DecodingError) -> String {
        guard isText else { throw mismatch(String.self, "a string") }
        do throws(DecodingError) {
            return try tape.string(of: node)
        } catch {
            throw error.at(path)
        }
    }

    /// Returns the value that the string represents.
    public func text<Value: StringRepresentable>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        let text = try text()
        guard let value = Value(text) else { throw unreadable(Value.rejectionReason(for: text)) }
        return value
    }

    /// Returns the case of a type whose raw value is the string.
    public func word<Value: RawRepresentable<String>>(as type: Value.Type = Value.self) throws(DecodingError) -> Value {
        let text = try text()
        guard let value = Value(rawValue: text) else {
            throw unreadable("\(String(text.prefix(64)).debugDescription) is not one of the allowed values")
        }
        return value
    }

    /// Returns the number, which must be whole and fit.
    public func integer() throws(DecodingError) -> Int {
        guard node.kind == .number else { throw mismatch(Int.self, "a whole number") }
        if let number = decimalInteger { return number }
        return try decode()  // 12.0 and 1e3 are whole, too
    }

    /// The whole number in a string or number of digits, with or without a minus; nil for any other form.
    public var decimalInteger: Int? {
        withUnescapedBytes { bytes in
            guard !bytes.isEmpty, bytes[0] == UInt8(ascii: "-") else { return Int(digits: bytes) }
            return Int(digits: bytes.extracting(droppingFirst: 1)).map { -$0 }
        }
    }

    /// Returns whether it is `true` or `false`.
    public func flag() throws(DecodingError) -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, "true or false")
        }
    }

    // MARK: Bytes

    /// The JSON of the value, as in the text.
    public var bytes: [UInt8] { tape.json(of: node) }

    /// Calls `read` with the bytes of a number, or of a string without escapes, so that no `String` is made.
    ///
    /// - Returns: the result of `read`; nil for any other value.
    public func withUnescapedBytes<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? {
        let node = node
        guard node.kind == .string || node.kind == .number else { return nil }
        let bytes = tape.bytes
        return read(bytes.span.extracting(Int(node.start)..<Int(node.end)))
    }

    // MARK: Decodable

    /// Decodes the value with Foundation's decoder.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DecodingError) -> Value {
        do throws(DecodingError) {
            return try JSON.decode(type, from: bytes)
        } catch {
            throw error.at(path)
        }
    }
}
