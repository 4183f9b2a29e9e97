extension DecodingError {
    /// The way to the value that could not be read; of a missing key, the key's own way.
    public var codingPath: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        @unknown default: []
        }
    }

    /// The way as text, such as `dailyBoxOfficeList[3].audiCnt`; nil if all of it is wrong.
    public var fieldPath: String? {
        codingPath.isEmpty ? nil : codingPath.fieldPath
    }

    /// Why it could not be read.
    public var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            // Foundation leaves it out of some, such as a truth value in place of a Decimal.
            context.debugDescription.isEmpty ? "the value has the wrong type" : context.debugDescription
        case .keyNotFound: "the key is missing"
        @unknown default: "\(self)"
        }
    }
}

extension Sequence<any CodingKey> {
    /// The keys as a field path: names joined by dots, positions in brackets.
    public var fieldPath: String {
        var path = ""
        for key in self {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path
    }
}
