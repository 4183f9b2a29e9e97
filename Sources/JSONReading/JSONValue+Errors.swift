extension JSONValue {
    /// The error that this value cannot be read, with the way to it.
    public func unreadable(_ reason: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    /// The error that it is of another kind than what was expected.
    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "there is \(node.kind.words) instead of \(expected)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The way from the text's outermost value to this one. It is looked for only when an error has to name it.
    var path: [any CodingKey] {
        var path: [any CodingKey] = []
        var outer = JSONValue(outline: outline, index: 0)
        while outer.index < index {
            let children = outer.children
            guard let position = children.lastIndex(where: { $0.index <= index }) else { break }
            if outer.node.kind == .array {
                path.append(JSONKey(position))
            } else {
                // The name stands before its value.
                path.append(JSONKey((try? outline.text(of: children[position - 1].node)) ?? "?"))
            }
            outer = children[position]
        }
        return path
    }
}

extension JSONOutline.Kind {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .text, .escapedText: "a text"
        case .number: "a number"
        case .true, .false: "a truth value"
        case .null: "null"
        }
    }
}

/// One step of the way to a value: a member's name or an element's position.
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
    /// The error as seen from further out: `path` is the way to where it was seen.
    func at(_ path: [any CodingKey]) -> DecodingError {
        func further(_ context: Context) -> Context {
            Context(
                codingPath: path + context.codingPath, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, further(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, further(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, further(context))
        case .dataCorrupted(let context): .dataCorrupted(further(context))
        @unknown default: self
        }
    }
}
