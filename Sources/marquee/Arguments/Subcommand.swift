import ServiceRuntime
import Text

/// A subcommand. Its initializer validates all arguments before the command opens a file or a socket.
protocol Subcommand: Sendable {
    static var usage: Usage { get }

    init(_ arguments: Arguments) throws(UsageError)

    /// Runs the command until it finishes or a signal stops it.
    func run(_ configuration: Configuration) async throws -> ExitStatus
}

enum ExitStatus: Int32 {
    case done = 0
    /// The command failed, and would fail again.
    case failed = 1
    /// The arguments or the configuration are invalid; nothing was opened.
    case usage = 2
    /// The command failed, but may succeed later.
    case retryable = 3
    /// A process did not answer in time.
    case timedOut = 4
}

/// An error in the arguments, described in one line.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// Makes an error in the language of the running command.
    init(_ korean: String, _ english: String) {
        message = localized(korean, english)
    }
}

/// The name, arguments and options of a command, in the language of the running command. The help text and the parser both
/// use it.
struct Usage: Sendable {
    /// An option: a word that begins with two dashes.
    struct Option: Sendable {
        /// The name with its dashes.
        let name: String
        /// The placeholder of the value in the help text; nil for an option without a value.
        let value: String?
        /// The description in the help text, in one line; nil if the help text omits the option, because only other programs
        /// use it.
        let meaning: String?
        let isRepeatable: Bool

        /// Makes an option, with its description in both languages.
        init(_ name: String, value: String? = nil, _ korean: String, _ english: String, isRepeatable: Bool = false) {
            self.name = name
            self.value = value
            self.isRepeatable = isRepeatable
            meaning = localized(korean, english)
        }

        /// Makes an option that the help text omits.
        init(hidden name: String, value: String? = nil) {
            self.name = name
            self.value = value
            isRepeatable = false
            meaning = nil
        }
    }

    let name: String
    /// The positional arguments in the help text.
    var arguments = ""
    /// The description in the list of commands, in one line.
    let summary: String
    /// The further description in `marquee help COMMAND`.
    var details = ""
    var options: [Option] = []

    /// The longest line of a help text, in columns.
    static let columns = 100

    /// The complete help text, in lines that fit into the terminal.
    var help: String {
        var head = "marquee \(name)"
        if !arguments.isEmpty { head += " \(arguments)" }
        let options = options.filter { $0.meaning != nil }
        if !options.isEmpty { head += localized(" [옵션]", " [options]") }
        let columns = min(Console.width, Self.columns)
        var lines = [localized("사용법: \(head)", "usage: \(head)"), ""] + summary.wrapped(columns: columns)
        if !details.isEmpty { lines += [""] + details.wrapped(columns: columns) }
        if !options.isEmpty {
            let heads = options.map { $0.value == nil ? $0.name : "\($0.name) \($0.value ?? "")" }
            let width = heads.map(\.columns).max() ?? 0
            lines.append("")
            for (head, option) in zip(heads, options) {
                lines += (option.meaning ?? "").wrapped(after: "  \(head)", indent: width + 4, columns: columns)
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension Usage.Option {
    /// `--json`: the events as they were published.
    static var json: Usage.Option {
        Usage.Option("--json", "이벤트를 한 줄에 하나씩 JSON으로 출력", "print the events, one JSON object a line")
    }
}
