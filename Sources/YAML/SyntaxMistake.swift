/// A syntax error in the words of an author, by libyaml's message.
enum SyntaxMistake: CustomStringConvertible {
    case openList
    case openMapping
    case openQuote
    case missingColon
    case secondColon
    case indentation
    case listElement
    case beginning
    case escape
    case encoding
    case controlCharacter
    case other

    /// The messages are those of libyaml 0.2.5; another one is ``other``.
    init(_ problem: String) {
        switch problem {
        case "did not find expected ',' or ']'": self = .openList
        case "did not find expected ',' or '}'": self = .openMapping
        case "found unexpected end of stream", "found unexpected document indicator": self = .openQuote
        case "could not find expected ':'": self = .missingColon
        case "mapping values are not allowed in this context": self = .secondColon
        case "did not find expected key", "mapping keys are not allowed in this context": self = .indentation
        case "did not find expected '-' indicator", "block sequence entries are not allowed in this context":
            self = .listElement
        case "found character that cannot start any token": self = .beginning
        case "found unknown escape character", "did not find expected hexdecimal number",
            "found invalid Unicode character escape code":
            self = .escape
        case "invalid leading UTF-8 octet", "incomplete UTF-8 octet sequence", "invalid trailing UTF-8 octet",
            "invalid length of a UTF-8 sequence", "invalid Unicode character":
            self = .encoding
        case "control characters are not allowed": self = .controlCharacter
        default: self = .other
        }
    }

    /// Whether the author has to look where the thing begins, and not where its end was missed.
    var isWhereItBegan: Bool {
        switch self {
        case .openList, .openMapping, .openQuote, .missingColon: true
        default: false
        }
    }

    /// What is wrong, and what to write.
    var description: String {
        switch self {
        case .openList: "the list that begins here lacks a comma between two elements, or its ]"
        case .openMapping: "the mapping that begins here lacks a comma between two keys, or its }"
        case .openQuote: "the quotes that begin here are not closed"
        case .missingColon: "a key is followed by a colon and a blank, as in 'lead: true'"
        case .secondColon: "no key can begin here; indent keys alike, and put a text that contains ': ' into quotes"
        case .indentation: "expected a key; keys of one mapping are indented alike, and long texts are in quotes"
        case .listElement: "expected '- ' before each element of a list, on lines of their own and indented alike"
        case .beginning: "a text that begins with this character has to be in quotes"
        case .escape: #"in double quotes \ begins an escape sequence; write \\, or use apostrophes"#
        case .encoding: "the file is not in UTF-8"
        case .controlCharacter: "the file contains a control character here"
        case .other: "this is not YAML as a rule file uses it"
        }
    }
}
