public import Text

/// A part of a YAML document: a scalar, a list or a mapping, with its position.
///
/// A scalar has no type until it is read: `3` is text for ``text()`` and a number for ``integer(in:)``. So a movie code
/// does not turn into a number, nor the country code `NO` into a Boolean.
public struct Node: Hashable, Sendable {
    /// The content of a node.
    public enum Content: Hashable, Sendable {
        /// Text; plain means written without quotes.
        case scalar(String, isPlain: Bool)
        case sequence([Node])
        /// Keys and their values in the order of the file.
        case mapping([Entry])
    }

    /// A key of a mapping and its value.
    public struct Entry: Hashable, Sendable {
        /// The text of the key.
        public let key: String
        /// The position of the key.
        public let position: SourcePosition
        /// The value.
        public let value: Node
    }

    /// The position of its first character.
    public let position: SourcePosition
    /// The keys that lead to it, such as `rules.rose.threshold` or `sinks[2].url`; empty for the whole document.
    public let path: String
    /// A scalar, a list or a mapping.
    public let content: Content

    /// Whether it is an empty value, `~` or `null`.
    public var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return text.isEmpty || text == "~" || text == "null"
    }

    /// Returns a diagnostic with the position and the path of this node.
    public func diagnostic(_ message: BilingualText) -> ConfigurationDiagnostic {
        ConfigurationDiagnostic(at: position, path: path, message)
    }

    /// Returns a diagnostic with the position and the path of this node, and a message in both languages.
    public func diagnostic(_ ko: String, _ en: String) -> ConfigurationDiagnostic {
        diagnostic(BilingualText(ko, en))
    }

    /// Returns the diagnostic that this mapping lacks a key.
    public func diagnostic(missing key: String) -> ConfigurationDiagnostic {
        diagnostic("\(key) 키가 없습니다. 추가하세요", "\(key) is missing")
    }

    // MARK: Scalars

    /// Returns the text of a scalar, quoted or not; an empty value has none.
    public func text() throws(ConfigurationDiagnostic) -> String {
        guard case .scalar(let text, _) = content, !isNull else { throw mismatch(expected: "텍스트를", "text") }
        return text
    }

    /// Returns a whole number, which must be plain and within `range`.
    public func integer(in range: ClosedRange<Int>) throws(ConfigurationDiagnostic) -> Int {
        guard case .scalar(let text, isPlain: true) = content, let number = Int(text) else {
            throw mismatch(expected: "정수를", "a whole number")
        }
        guard range.contains(number) else {
            throw diagnostic(
                "\(number) 대신 \(range.lowerBound)~\(range.upperBound)의 정수를 쓰세요",
                "\(number) is not between \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// Returns a Boolean, which must be plain `true` or `false`; YAML 1.1's `yes`, `on` and the like are refused.
    public func flag() throws(ConfigurationDiagnostic) -> Bool {
        switch content {
        case .scalar("true", isPlain: true): return true
        case .scalar("false", isPlain: true): return false
        default: throw mismatch(expected: "true나 false를", "true or false")
        }
    }

    /// Returns the case of `Choice` whose raw value the scalar holds.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of _: Choice.Type = Choice.self
    ) throws(ConfigurationDiagnostic) -> Choice {
        try choice(of: Array(Choice.allCases), by: \.rawValue)
    }

    /// Returns the one of `choices` whose word the scalar holds.
    public func choice<Choice>(
        of choices: [Choice], by word: (Choice) -> String
    ) throws(ConfigurationDiagnostic) -> Choice {
        let text = try text()
        guard let choice = choices.first(where: { word($0) == text }) else {
            let words = choices.map(word).joined(separator: ", ")
            throw diagnostic("\(text.excerpt) 대신 \(words) 중 하나를 쓰세요", "\(text.excerpt) is not one of \(words)")
        }
        return choice
    }

    /// Returns what `read` makes of the scalar's text. The nouns have their particle and article: "날짜를", "a date".
    public func value<Value>(
        expected ko: String, _ en: String, read: (String) -> Value?
    ) throws(ConfigurationDiagnostic) -> Value {
        guard case .scalar(let text, _) = content, !isNull, let value = read(text) else {
            throw mismatch(expected: ko, en)
        }
        return value
    }

    // MARK: Lists and mappings

    /// Returns the nodes of a list.
    public func list() throws(ConfigurationDiagnostic) -> [Node] {
        guard case .sequence(let nodes) = content else { throw mismatch(expected: "목록([값, 값])을", "a list") }
        return nodes
    }

    /// Returns the fields of a mapping whose keys are known; an empty value counts as an empty mapping. `error` receives a
    /// diagnostic for each other key.
    public func fields(
        _ keys: [String], _ error: inout ConfigurationDiagnosticsError
    ) throws(ConfigurationDiagnostic) -> Fields {
        let entries = try entries()
        for entry in entries where !keys.contains(entry.key) {
            let nearest = keys.nearest(to: entry.key)
            error.add(
                ConfigurationDiagnostic(
                    at: entry.position, path: entry.value.path,
                    "알 수 없는 키입니다. " + (nearest.map { "혹시 \($0)인가요?" } ?? "여기에는 키를 쓸 수 없습니다"),
                    "unknown key; " + (nearest.map { "did you mean \($0)?" } ?? "no keys are allowed here")))
        }
        return Fields(node: self, entries: entries)
    }

    /// Returns the entries of a mapping whose keys the author chooses; an empty value has none.
    public func entries() throws(ConfigurationDiagnostic) -> [Entry] {
        if isNull { return [] }
        guard case .mapping(let entries) = content else {
            throw mismatch(expected: "매핑(키: 값)을", "a mapping (key: value)")
        }
        return entries
    }

    private func mismatch(expected ko: String, _ en: String) -> ConfigurationDiagnostic {
        // 대신 fits every last sound, so that nothing has to be known of the author's text.
        switch content {
        case _ where isNull: diagnostic("값이 비어 있습니다. \(ko) 쓰세요", "an empty value is not \(en)")
        case .scalar(let text, isPlain: true):
            diagnostic("\(text.excerpt) 대신 \(ko) 쓰세요", "\(text.excerpt) is not \(en)")
        case .scalar(let text, isPlain: false):
            diagnostic("따옴표로 묶은 \(text.excerpt) 대신 \(ko) 쓰세요", "the quoted text \(text.excerpt) is not \(en)")
        case .sequence: diagnostic("목록 대신 \(ko) 쓰세요", "a list is not \(en)")
        case .mapping: diagnostic("매핑 대신 \(ko) 쓰세요", "a mapping is not \(en)")
        }
    }
}

/// The values of a mapping by their keys.
public struct Fields: Sendable {
    let node: Node
    let entries: [Node.Entry]

    /// The value of a key; nil if the mapping does not have the key.
    public subscript(key: String) -> Node? {
        entries.first { $0.key == key }?.value
    }

    /// Returns the value of a key, and throws a diagnostic if the mapping does not have the key.
    public func required(_ key: String) throws(ConfigurationDiagnostic) -> Node {
        guard let value = self[key] else { throw node.diagnostic(missing: key) }
        return value
    }
}

extension String {
    /// At most 60 characters of the text between apostrophes, on one line.
    fileprivate var excerpt: String {
        let text = count > 60 ? prefix(60) + "…" : self
        return "'\(text.visiblyQuoted.dropFirst().dropLast())'"
    }
}
