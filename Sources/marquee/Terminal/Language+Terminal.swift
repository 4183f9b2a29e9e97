import FoundationEssentials
import Text

/// Returns the text in the language of the running command.
func localized(_ korean: String, _ english: String) -> String {
    Language.current(korean, english)
}

/// The language of everything that a command prints. Each text stands in both languages where it is used:
/// `localized("수집 시각", "Fetched at")`.
///
/// Logs and what comes over the wire are in English. Without a table of texts, a text that lacks a language does not compile.
extension Language {
    /// The language of the running command.
    @TaskLocal static var current = Language.en

    /// The option that selects the language, which every command accepts.
    static let option = "--language"

    /// Takes the option `--language` out of the arguments; without it, the locale decides.
    static func taken(from words: inout [String], environment: [String: String]) throws(UsageError) -> Language {
        guard let index = words.firstIndex(where: { $0 == option || $0.hasPrefix("\(option)=") }) else {
            return Language(environment: environment)
        }
        let hasOwnValue = words[index] == option
        let value =
            hasOwnValue ? words.dropFirst(index + 1).first ?? "" : String(words[index].dropFirst(option.count + 1))
        guard let language = Language(rawValue: value) else {
            let text = Language(environment: environment)(
                Arguments.invalidValue(option, value, expected: "ko, en", in: .ko),
                Arguments.invalidValue(option, value, expected: "ko or en", in: .en))
            throw UsageError(text)
        }
        words.removeSubrange(index...(hasOwnValue ? index + 1 : index))
        return language
    }

    /// Returns the language of the messages' locale: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty
    /// (POSIX, 8.2). A locale of another language than Korean counts as English.
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        self = locale?.hasPrefix("ko") == true ? .ko : .en
    }
}
