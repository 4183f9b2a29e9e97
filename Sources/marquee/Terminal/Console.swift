import Concurrency
import Glibc
import JSONCoding
import ServiceRuntime
import Text

/// Standard output and standard error.
///
/// All text is escaped (`escapedForTerminal`), because titles, names and errors come from strangers: a terminal obeys what is
/// written to it. Only line feeds and ``TerminalColor`` stay. In JSON the escapes mean the same as what they replace.
enum Console {
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether output has colours: on a terminal that has them, unless `NO_COLOR` is set (https://no-color.org).
    static let hasColor = isTerminal && !isDumb && variable("NO_COLOR").isEmpty

    /// Whether a line of the terminal can be replaced.
    static let canRewrite = isTerminal && !isDumb

    /// A terminal of the kind `dumb` obeys no control sequence.
    private static let isDumb = variable("TERM") == "dumb"

    private static func variable(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }

    /// The number of columns of a line: those of the terminal, 80 if they are unknown; unlimited without a terminal.
    static var width: Int {
        guard isTerminal else { return .max }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes a line to standard output, unbuffered. If that fails, it says why and ends the process.
    static func print(_ line: String) {
        write(escaped(line) + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line in the language of the running command to standard output.
    static func print(_ korean: String, _ english: String) {
        print(localized(korean, english))
    }

    /// Writes lines for another program to standard output, with CR LF; they are escaped only if a terminal shows them.
    static func printRecords(_ records: [String]) {
        let lines = records.map { (isTerminal ? escaped($0) : $0) + "\r\n" }
        write(lines.joined(), to: STDOUT_FILENO)
    }

    /// Replaces the current line of the terminal; the last one gets a line feed.
    static func rewrite(_ line: String, isLast: Bool) {
        write("\r\u{1B}[K" + escaped(line) + (isLast ? "\n" : ""), to: STDOUT_FILENO)
    }

    /// Asks a question on standard error and returns the answer; nil if standard input or standard error is no terminal.
    ///
    /// Blocks the calling thread until a line is typed. The end of input is an empty answer.
    static func ask(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        write(escaped(question), to: STDERR_FILENO)
        return readLine() ?? ""
    }

    /// Writes a line to standard error, unbuffered, after the log; not if nobody reads that.
    static func printError(_ line: String) {
        guard LogWriter.standardError.flush() else { return }
        write(escaped(line) + "\n", to: STDERR_FILENO)
    }

    /// Writes a line in the language of the running command to standard error.
    static func printError(_ korean: String, _ english: String) {
        printError(localized(korean, english))
    }

    /// Held by the task that ends the process, until it has.
    private static let isEnding = Locked(false)

    private static func escaped(_ text: String) -> String {
        text.escapedForTerminal(keeping: hasColor ? TerminalColor.sequences : [])
    }

    private static func write(_ text: String, to descriptor: Int32) {
        do {
            try writeAll(Array(text.utf8), to: descriptor)
        } catch {
            if error.code == EPIPE { return terminateOnce() }
            // That standard error cannot be written can be said nowhere.
            guard descriptor == STDOUT_FILENO else { return }
            let reason = BilingualText(errno: error.code)
            let line = localized(
                "marquee: 표준 출력에 쓸 수 없습니다: \(reason.text(in: .ko))",
                "marquee: cannot write to standard output: \(reason)")
            // Of several tasks that print, one says it.
            isEnding.withLock { _ in
                printError(line)
                _exit(ExitStatus.failed.rawValue)
            }
        }
    }

    /// Opens /dev/null for each standard descriptor that is closed: otherwise the next socket or file of the process would
    /// have its number, and what is printed would go into that.
    ///
    /// It can only be read, so that what is printed fails as before.
    static func reserveDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) returns the lowest number that is free.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    private static let isTerminating = Locked(false)

    /// Terminates the process because the reader closed the pipe (`marquee watch | head`).
    ///
    /// It sends only one signal, because a second one would prevent a graceful shutdown. If SIGPIPE is not ignored, the
    /// process has ended already.
    private static func terminateOnce() {
        let isFirst = isTerminating.withLock { isTerminating in
            defer { isTerminating = true }
            return !isTerminating
        }
        if isFirst { kill(getpid(), SIGTERM) }
    }
}

extension JSON {
    /// Returns the JSON of a value as text.
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encode(value), as: UTF8.self)
    }
}

/// A colour or style of the terminal.
enum TerminalColor: String, CaseIterable {
    case red = "31"
    case blue = "34"
    case dim = "2"
    case bold = "1"

    /// The codes that ``paint(_:)`` writes.
    static let sequences = allCases.map(\.start) + [end]

    private static let end = "\u{1B}[0m"
    private var start: String { "\u{1B}[\(rawValue)m" }

    /// Returns the text in this colour, or unchanged if the output has no colours.
    func paint(_ text: String, if isPainted: Bool = true) -> String {
        isPainted && Console.hasColor && !text.isEmpty ? start + text + Self.end : text
    }
}

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
