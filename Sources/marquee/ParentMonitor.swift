import Concurrency
import Glibc

/// Standard input as a line to the process that started this one: when it ends, that process is gone, however it died.
enum ParentMonitor {
    /// `--attached`: `marquee up` gives it to the processes that it starts.
    static let option = Usage.Option(name: "--attached", meaning: "end when standard input does", isHidden: true)

    /// Asks this process to end, as SIGTERM does, when standard input ends.
    static func follow() {
        do {
            try startThread {
                waitForEnd()
                kill(getpid(), SIGTERM)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Reads standard input, on which nothing comes but its end.
    private static func waitForEnd() {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            guard count > 0 || (count < 0 && errno == EINTR) else { return }
        }
    }
}
