import Concurrency
import Glibc

/// The terminal, or whatever stands in its place.
enum Console {
    /// Whether a person looks at standard output.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether that person wants colour.
    static let hasColor = isTerminal && getenv("NO_COLOR") == nil

    /// Writes a line to standard output at once.
    static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line in the place of the one that stands there; the last one stays.
    static func rewrite(_ line: String, isLast: Bool) {
        write("\r\u{1B}[K" + line + (isLast ? "\n" : ""), to: STDOUT_FILENO)
    }

    /// Writes a line to standard error at once.
    static func complain(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { endOnce() }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}

extension Console {
    private static let isEnding = Locked(false)

    /// Asks the process to end: a reader that went away (`marquee watch | head`) wants no more.
    ///
    /// Once, because the second signal would not let it end in peace. Where SIGPIPE is not ignored, it has ended already.
    private static func endOnce() {
        let isFirst = isEnding.withLock { isEnding in
            defer { isEnding = true }
            return !isEnding
        }
        if isFirst { kill(getpid(), SIGTERM) }
    }
}

/// A colour of the terminal's own palette.
enum TerminalColor: String {
    case red = "31"
    case blue = "34"
    case dim = "2"
    case bold = "1"

    /// The text in this colour, or as it is where nobody sees it.
    func paint(_ text: String) -> String {
        Console.hasColor ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
