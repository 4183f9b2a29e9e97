extension DecodingError {
    /// The kind of error, the way to the value with positions in brackets, and the reason, for tests to compare.
    var summary: (kind: String, path: [String], reason: String) {
        func summary(_ kind: String, _ context: Context, _ key: [any CodingKey] = []) -> (String, [String], String) {
            let path = (context.codingPath + key).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return (kind, path, context.debugDescription)
        }
        return switch self {
        case .typeMismatch(_, let context): summary("mismatch", context)
        case .valueNotFound(_, let context): summary("null", context)
        case .keyNotFound(let key, let context): summary("missing", context, [key])
        case .dataCorrupted(let context): summary("unreadable", context)
        @unknown default: ("unknown", [], "")
        }
    }
}
