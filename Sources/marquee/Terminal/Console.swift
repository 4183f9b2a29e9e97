import Concurrency
import Glibc

/// Standard output and standard error.
enum Console {
    /// Whether standard output is a terminal.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether output has colours: on a terminal, unless `NO_COLOR` is set.
    static let hasColor = isTerminal && getenv("NO_COLOR") == nil

    /// Writes a line to standard output, unbuffered.
    static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    /// Replaces the current line of the terminal; the last one gets a line feed.
    static func rewrite(_ line: String, isLast: Bool) {
        write("\r\u{1B}[K" + line + (isLast ? "\n" : ""), to: STDOUT_FILENO)
    }

    /// Writes a line to standard error, unbuffered.
    static func printError(_ line: String) {
        write(line + "\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { terminateOnce() }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}

extension Console {
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

/// A colour or style of the terminal.
enum TerminalColor: String {
    case red = "31"
    case blue = "34"
    case dim = "2"
    case bold = "1"

    /// Returns the text in this colour, or unchanged if the output has no colours.
    func paint(_ text: String) -> String {
        Console.hasColor ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
