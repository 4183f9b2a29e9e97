import Operations

/// A subcommand: it is made from its arguments, and refuses wrong ones, before anything is opened.
protocol Subcommand: Sendable {
    /// What the command is called and takes.
    static var usage: Usage { get }

    /// Reads the arguments.
    init(_ arguments: Arguments) throws(UsageError)

    /// Does the work until it is done or the process is told to stop.
    func run(_ configuration: Configuration) async throws -> ExitStatus
}

/// What a process tells the one that started it.
enum ExitStatus: Int32 {
    /// All is well: for a request, it was done.
    case done = 0
    /// It failed, and would again.
    case failed = 1
    /// The arguments or the configuration are wrong; nothing was opened.
    case usage = 2
    /// It failed, and may succeed later.
    case retryable = 3
    /// Nobody answered in time.
    case unanswered = 4
}

/// A mistake in the arguments, told in one line.
struct UsageError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
