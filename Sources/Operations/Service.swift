/// Something that runs for as long as the process does: a worker, a notifier, a server.
///
/// What it needs to begin (an address, a database) it opens when it is made, so that nothing runs if that fails.
public protocol Service: Sendable {
    /// Works until it is stopped, fails, or the task is cancelled.
    func run() async throws

    /// Asks for a graceful end: no new work, what is in hand is finished, and `run()` returns.
    ///
    /// May return before `run()` does.
    func stop() async
}
