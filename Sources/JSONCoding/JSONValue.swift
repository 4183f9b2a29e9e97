import Text

/// A value in JSON text that was scanned once.
///
/// Reading a value reads no other: nothing is copied, and no object becomes a dictionary. It is meant for text that is read
/// thousands of times a second; elsewhere `decode` reads any `Decodable`. Of members with the same name the first counts.
public struct JSONValue: Sendable {
    let tape: JSONTape
    let index: Int

    var node: JSONTape.Node { tape.nodes[index] }

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
                JSONKey(stringValue: name),
                DecodingError.Context(codingPath: path, debugDescription: "missing member \"\(name)\""))
        }
        return member
    }

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
        guard node.kind == .true || node.kind == .false else { throw mismatch(Bool.self, "true or false") }
        return node.kind == .true
    }

    /// The JSON of the value, as in the text.
    public var bytes: [UInt8] { tape.json(of: node) }

    /// Calls `read` with the bytes of a number, or of a string without escapes, so that no `String` is made; nil for any
    /// other value.
    public func withUnescapedBytes<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? {
        let node = node
        guard node.kind == .string || node.kind == .number else { return nil }
        let bytes = tape.bytes
        return read(bytes.span.extracting(Int(node.start)..<Int(node.end)))
    }

    /// Decodes the value with Foundation's decoder.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(DecodingError) -> Value {
        do throws(DecodingError) {
            return try JSON.decode(type, from: bytes)
        } catch {
            throw error.at(path)
        }
    }
}

// MARK: - Errors

extension JSONValue {
    /// Returns the error that this value cannot be read, with its coding path.
    public func unreadable(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "expected \(expected)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The coding path from the outermost value to this one. It is searched for, because only errors need it.
    private var path: [any CodingKey] {
        var path: [any CodingKey] = []
        var outer = JSONValue(tape: tape, index: 0)
        while outer.index < index {
            let children = outer.children
            guard let position = children.lastIndex(where: { $0.index <= index }) else { break }
            if outer.node.kind == .array {
                path.append(JSONKey(intValue: position))
            } else {
                // The name is before its value. A name with an invalid escape has no string.
                path.append(JSONKey(stringValue: (try? tape.string(of: children[position - 1].node)) ?? "?"))
            }
            outer = children[position]
        }
        return path
    }
}

/// One step of a coding path: the name of a member or the position of an element.
private struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension DecodingError {
    /// Returns the error with `path` before its own coding path.
    fileprivate func at(_ path: [any CodingKey]) -> DecodingError {
        func prefixed(_ context: Context) -> Context {
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, prefixed(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, prefixed(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, prefixed(context))
        case .dataCorrupted(let context): .dataCorrupted(prefixed(context))
        @unknown default: self
        }
    }
}

extension JSONValue {
    /// Scans a text, which must be JSON in UTF-8 from its first byte to its last; an error has the offset of the first
    /// wrong byte.
    public init(parsing bytes: [UInt8]) throws(DecodingError) {
        self.init(tape: try JSONTape(bytes), index: 0)
    }
}

// MARK: - Types that read themselves

/// A value that is read straight from JSON text, because it is read too often for `Decodable`: docs/decisions/json-parser.md.
public protocol JSONReadable {
    /// Reads the value; an error has the coding path of what could not be read.
    init(json: JSONValue) throws(DecodingError)
}

extension JSONReadable {
    /// Reads the value from a whole text.
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
