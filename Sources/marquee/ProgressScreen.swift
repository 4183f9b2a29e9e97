import Concurrency
import FoundationEssentials
import Glibc

/// Where progress is shown: one line of a terminal that is written again and again, or a line now and then elsewhere.
final class ProgressScreen: Sendable {
    /// How long a log has no further line while something goes on.
    private static let pause = Duration.seconds(10)

    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let shown = Locked<(time: ContinuousClock.Instant, text: String)?>(nil)

    /// Shows a line in the place of the last one.
    func show(_ line: ProgressLine, isLast: Bool) {
        if isTerminal {
            Console.rewrite(line.text(width: Self.width), isLast: isLast)
        } else {
            print(line.plain, isUrgent: isLast)
        }
    }

    /// Says what is wrong in the place of the last line.
    func complain(_ text: String) {
        if isTerminal { Console.rewrite(text, isLast: false) } else { print(text, isUrgent: false) }
    }

    private func print(_ text: String, isUrgent: Bool) {
        let now = ContinuousClock.now
        let isDue = shown.withLock { shown in
            guard let last = shown, !isUrgent else { return true }
            return last.text != text && last.time.duration(to: now) >= Self.pause
        }
        guard isDue else { return }
        shown.withLock { $0 = (now, text) }
        Console.print(text)
    }

    /// The terminal's columns; 80 where it does not tell.
    private static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
