/// A part of a YAML document: a value, a list or a mapping, and where it stands.
public struct Node: Hashable, Sendable {
    /// What a node is.
    public enum Content: Hashable, Sendable {
        /// A text; whether it means a number or a flag is for those to say who read it. Plain means without quotes.
        case scalar(String, isPlain: Bool)
        /// A list.
        case sequence([Node])
        /// Keys and their values, in the file's order.
        case mapping([Entry])
    }

    /// A key of a mapping and its value.
    public struct Entry: Hashable, Sendable {
        /// The key's text.
        public let key: String
        /// Where the key stands.
        public let place: SourcePosition
        /// The value.
        public let value: Node
    }

    /// Where it begins.
    public let place: SourcePosition
    /// The keys on the way to it, such as `rules.rose.threshold` or `sinks[2].url`; empty for the whole document.
    public let path: String
    /// What it is.
    public let content: Content

    /// Whether nothing stands here: an empty value, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return text.isEmpty || text == "~" || text == "null"
    }

    /// A mistake at this place.
    public func mistake(_ problem: String) -> ConfigurationDiagnostic {
        ConfigurationDiagnostic(at: place, path: path, problem)
    }
}
