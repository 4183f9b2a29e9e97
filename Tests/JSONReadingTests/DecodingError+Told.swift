extension DecodingError {
    /// The kind of error, the way to the value with positions in brackets, and the reason, for tests to compare.
    var told: (kind: String, path: [String], reason: String) {
        func told(_ kind: String, _ context: Context, _ key: [any CodingKey] = []) -> (String, [String], String) {
            let path = (context.codingPath + key).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return (kind, path, context.debugDescription)
        }
        return switch self {
        case .typeMismatch(_, let context): told("mismatch", context)
        case .valueNotFound(_, let context): told("null", context)
        case .keyNotFound(let key, let context): told("missing", context, [key])
        case .dataCorrupted(let context): told("unreadable", context)
        @unknown default: ("unknown", [], "")
        }
    }
}
