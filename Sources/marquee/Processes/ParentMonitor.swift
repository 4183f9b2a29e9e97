import Concurrency
import Glibc

/// Detects the end of the parent process: standard input is a pipe from it, which closes however the parent ends.
enum ParentMonitor {
    /// `--attached`, an option of the processes that `marquee up` starts.
    static let option = Usage.Option(hidden: "--attached")

    /// Starts a thread that sends SIGTERM to this process when standard input closes.
    static func start() {
        do {
            try startThread {
                waitForEndOfInput()
                kill(getpid(), SIGTERM)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func waitForEndOfInput() {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            guard count > 0 || (count < 0 && errno == EINTR) else { return }
        }
    }
}
