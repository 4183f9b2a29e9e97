extension DecodingError {
    /// The coding path of the value that could not be decoded; for a missing key, the path of that key.
    public var codingPath: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        @unknown default: []
        }
    }

    /// The coding path as text, such as `dailyBoxOfficeList[3].audiCnt`; nil if the document as a whole is wrong.
    public var fieldPath: String? {
        codingPath.isEmpty ? nil : codingPath.fieldPath
    }

    /// The reason why the value could not be decoded.
    public var reason: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            // Foundation leaves the description empty for some errors, such as a Boolean in place of a Decimal.
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
