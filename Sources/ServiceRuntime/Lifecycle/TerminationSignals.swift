import Concurrency
import Glibc

/// Lets a task wait for SIGINT, SIGTERM or SIGHUP, which then do not end the process.
///
/// Make one, before anything else in the process. The first signal resumes the waiting task; the second ends the process
/// at once with status 128 plus its number. SIGPIPE is ignored, so that a write to a closed connection fails with EPIPE.
///
/// A process that can read its configuration again takes SIGHUP as the request to do so, unless the signal says that its
/// terminal was closed.
public struct TerminationSignals: Sendable {
    // A handler writes the signal's number into a pipe, and a thread reads it. Blocking the signals and sigwait(3) would be
    // simpler, but with an async main, Dispatch parks the main thread in sigsuspend(2) with an empty mask, where a blocked
    // signal still ends the process.
    private let signals: AsyncStream<Void>
    /// The requests to read the configuration again; several that nobody has taken yet are one. Only one task may read it.
    public let reloads: AsyncStream<Void>

    /// Installs the signal handlers.
    ///
    /// - Parameter reloadsOnHangup: whether SIGHUP is a request to read the configuration again.
    public init(reloadsOnHangup: Bool = false) {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        let (reloads, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.reloads = reloads
        let hadTerminal = hasTerminal()
        precondition(relayPipe.writing >= 0, "cannot open a pipe for signals")
        do {
            try startThread {
                var isStopping = false
                while true {
                    var number: UInt8 = 0
                    guard read(relayPipe.reading, &number, 1) == 1 else { continue }
                    let signal = Int32(number)
                    // The kernel takes the terminal from a process before it sends this signal.
                    if signal == SIGHUP, reloadsOnHangup, !hadTerminal || hasTerminal() {
                        reload.yield()
                        continue
                    }
                    if isStopping {
                        LogWriter.standardError.flush()
                        _exit(128 + signal)
                    }
                    isStopping = true
                    continuation.yield()
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = relay
        action.sa_flags = SA_RESTART
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaction(number, &action, nil) }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Suspends until the first signal arrives or the task is cancelled. Only one task may call it.
    public func first() async {
        for await _ in signals { return }
    }
}

/// The pipe from the handler to the thread.
///
/// It is made before the handler is installed, so that the handler only reads the variable. Its writing end does not
/// block, because a handler must not.
private let relayPipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
}()

/// The signal handler. It calls only `write`, which signal-safety(7) allows.
private func relay(_ signal: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = write(relayPipe.writing, &byte, 1)
    errno = code
}

/// Whether the process has a controlling terminal.
private func hasTerminal() -> Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
}
