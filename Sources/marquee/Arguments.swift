/// A command's words, sorted into options and positional arguments.
///
/// `--name value` and `--name=value` are the same; `--` ends the options.
struct Arguments: Sendable {
    /// What is not an option, in order.
    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    /// Sorts the words by what `usage` declares.
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

    /// Whether a switch was given.
    func has(_ name: String) -> Bool {
        values[name] != nil
    }

    /// The value of an option, if it was given.
    func value(_ name: String) -> String? {
        values[name]?.last
    }

    /// The values of an option that may be given several times.
    func values(_ name: String) -> [String] {
        values[name] ?? []
    }

    /// The value of an option, read by `read`; a value that cannot be read is a mistake that says what is `expected`.
    func value<Value>(_ name: String, expected: String, read: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = value(name) else { return nil }
        guard let value = read(text) else {
            throw UsageError("\(name) is \(expected), not \(text.debugDescription)")
        }
        return value
    }

    /// The one positional argument of a command that takes one.
    func onlyPositional(_ placeholder: String) throws(UsageError) -> String {
        guard let first = positional.first, !first.isEmpty else { throw UsageError("\(placeholder) is missing") }
        if positional.count > 1 { throw UsageError("\(positional[1].debugDescription) is one argument too many") }
        return first
    }

    /// Refuses options that mean nothing beside the other words.
    func refuse(_ names: String..., because reason: String) throws(UsageError) {
        if let name = names.first(where: has) { throw UsageError("\(name) \(reason)") }
    }

    /// Refuses positional arguments where a command takes none.
    func refusePositional() throws(UsageError) {
        if let first = positional.first { throw UsageError("\(first.debugDescription) is one argument too many") }
    }
}
