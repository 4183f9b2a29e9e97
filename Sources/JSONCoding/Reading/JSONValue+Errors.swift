extension JSONValue {
    /// Returns the error that this value cannot be read, with its coding path.
    public func unreadable(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    /// Returns the error that the value is of another kind than expected.
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "expected \(expected), found \(node.kind.words)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The coding path from the outermost value to this one. It is searched for, because only errors need it.
    var path: [any CodingKey] {
        var path: [any CodingKey] = []
        var outer = JSONValue(tape: tape, index: 0)
        while outer.index < index {
            let children = outer.children
            guard let position = children.lastIndex(where: { $0.index <= index }) else { break }
            if outer.node.kind == .array {
                path.append(JSONKey(position))
            } else {
                // The name is before its value. A name with an invalid escape has no string.
                path.append(JSONKey((try? tape.string(of: children[position - 1].node)) ?? "?"))
            }
            outer = children[position]
        }
        return path
    }
}

extension JSONTape.Kind {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string, .escapedString: "a string"
        case .number: "a number"
        case .true: "true"
        case .false: "false"
        case .null: "null"
        }
    }
}

/// One step of a coding path: the name of a member or the position of an element.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ position: Int) {
        stringValue = String(position)
        intValue = position
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        self.init(intValue)
    }
}

extension DecodingError {
    /// Returns the error with `path` before its own coding path.
    func at(_ path: [any CodingKey]) -> DecodingError {
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
