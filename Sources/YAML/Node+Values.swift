import Text

extension Node {
    /// A text, with or without quotes.
    public func text() throws(ConfigurationDiagnostic) -> String {
        guard case .scalar(let text, _) = content, !isNull else { throw unexpected("a text") }
        return text
    }

    /// A whole number within `range`.
    public func integer(in range: ClosedRange<Int>) throws(ConfigurationDiagnostic) -> Int {
        guard let number = Int(try plain("a whole number")) else { throw unexpected("a whole number") }
        guard range.contains(number) else {
            let limits =
                range.upperBound == .max
                ? "less than \(range.lowerBound)" : "not between \(range.lowerBound) and \(range.upperBound)"
            throw mistake("\(number) is \(limits)")
        }
        return number
    }

    /// A whole number from `least` on.
    public func integer(from least: Int = .min) throws(ConfigurationDiagnostic) -> Int {
        try integer(in: least...Int.max)
    }

    /// `true` or `false`; not the words that only some readers of YAML take for these.
    public func flag() throws(ConfigurationDiagnostic) -> Bool {
        switch try plain("true or false") {
        case "true": return true
        case "false": return false
        default: throw unexpected("true or false")
        }
    }

    /// One of the words of `Choice`.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of _: Choice.Type = Choice.self
    ) throws(ConfigurationDiagnostic) -> Choice {
        let word = try text()
        guard let choice = Choice(rawValue: word) else {
            throw mistake("\(word.shown) is none of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// A text that `read` understands; one that it does not is a mistake that says what was `expected`, as in "a date".
    public func value<Value>(expected: String, read: (String) -> Value?) throws(ConfigurationDiagnostic) -> Value {
        guard case .scalar(let text, _) = content, !isNull, let value = read(text) else { throw unexpected(expected) }
        return value
    }

    /// The nodes of a list.
    public func list() throws(ConfigurationDiagnostic) -> [Node] {
        guard case .sequence(let nodes) = content else { throw unexpected("a list") }
        return nodes
    }

    /// A mapping whose keys are some of `keys`; nothing at all is an empty one.
    ///
    /// Each other key is a mistake that names the nearest of `keys`; it is added to `mistakes` and passed over.
    public func fields(_ keys: [String], _ mistakes: inout ConfigurationDiagnosticsError)
        throws(ConfigurationDiagnostic) -> Fields
    {
        let entries = try entries()
        for entry in entries where !keys.contains(entry.key) {
            mistakes.add(
                ConfigurationDiagnostic(
                    at: entry.place, path: entry.value.path, "not known; \(Self.hint(entry.key, keys))"))
        }
        return Fields(node: self, entries: entries)
    }

    /// The keys and values of a mapping whose keys are names of the author's own choice; nothing at all has none.
    public func entries() throws(ConfigurationDiagnostic) -> [Entry] {
        if isNull { return [] }
        guard case .mapping(let entries) = content else { throw unexpected("a mapping (key: value)") }
        return entries
    }

    private static func hint(_ key: String, _ keys: [String]) -> String {
        keys.nearest(to: key).map { "did you mean \($0)?" } ?? "nothing is expected here"
    }

    private func plain(_ expected: String) throws(ConfigurationDiagnostic) -> String {
        guard case .scalar(let text, isPlain: true) = content, !isNull else { throw unexpected(expected) }
        return text
    }

    private func unexpected(_ expected: String) -> ConfigurationDiagnostic {
        let found =
            switch content {
            case _ where isNull: "nothing"
            case .scalar(let text, let isPlain): isPlain ? text.shown : "a text in quotes, \(text.shown),"
            case .sequence: "a list"
            case .mapping: "a mapping"
            }
        let isnt = expected.hasPrefix("a ") ? "no \(expected.dropFirst(2))" : "not \(expected)"
        return mistake("\(found) is \(isnt)")
    }
}

extension String {
    /// The text between apostrophes, on one line and not too long.
    fileprivate var shown: String {
        let text = count > 60 ? prefix(60) + "…" : self
        return "'\(text.debugDescription.dropFirst().dropLast())'"
    }
}
