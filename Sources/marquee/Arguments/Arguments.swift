/// The parsed arguments of a command: options and positional arguments.
///
/// `--name value` and `--name=value` are equivalent; `--` ends the options.
struct Arguments: Sendable {
    /// The positional arguments, in order.
    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    /// Parses `words` by the options that `usage` declares.
    ///
    /// - Throws: `UsageError` for an unknown or repeated option, and for a missing or unexpected value.
    init(_ words: [String], usage: Usage) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = usage.options.first(where: { $0.name == name }) else {
                throw UsageError("\(usage.name) has no option \(name); see `marquee help \(usage.name)`")
            }
            guard values[name] == nil || option.isRepeatable else { throw UsageError("\(name) is given twice") }
            guard let placeholder = option.value else {
                guard name == word else { throw UsageError("\(name) takes no value") }
                values[name] = []
                continue
            }
            guard let value = name == word ? rest.popFirst() : String(word.dropFirst(name.count + 1)) else {
                throw UsageError("\(name) needs a value: \(name) \(placeholder)")
            }
            values[name, default: []].append(value)
        }
    }

    /// Whether an option was given.
    func has(_ name: String) -> Bool {
        values[name] != nil
    }

    /// Returns the value of an option; nil if it was not given.
    func value(_ name: String) -> String? {
        values[name]?.last
    }

    /// Returns all values of a repeatable option.
    func values(_ name: String) -> [String] {
        values[name] ?? []
    }

    /// Returns the value of an option, converted by `read`; nil if it was not given.
    ///
    /// - Throws: `UsageError`, which names what is `expected`, if `read` returns nil.
    func value<Value>(_ name: String, expected: String, read: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        guard let value = read(text) else {
            throw UsageError("\(name) must be \(expected), not \(text.debugDescription)")
        }
        return value
    }

    /// Returns the only positional argument.
    ///
    /// - Throws: `UsageError` if there is none or more than one.
    func onlyPositional(_ placeholder: String) throws(UsageError) -> String {
        guard let first = positional.first, !first.isEmpty else { throw UsageError("\(placeholder) is missing") }
        if positional.count > 1 { throw UsageError("unexpected argument \(positional[1].debugDescription)") }
        return first
    }

    /// Throws a `UsageError` if one of these options was given.
    func reject(_ names: String..., because reason: String) throws(UsageError) {
        if let name = names.first(where: has) { throw UsageError("\(name) \(reason)") }
    }

    /// Throws a `UsageError` if there are positional arguments.
    func rejectPositional() throws(UsageError) {
        if let first = positional.first { throw UsageError("unexpected argument \(first.debugDescription)") }
    }
}
