import Concurrency
import Glibc

/// SIGINT, SIGTERM and SIGHUP (a closed terminal) as something to wait for. SIGPIPE is ignored, so that a lost peer is an error of its write.
///
/// Make one, first thing in the process. The first signal asks; from the second on the process ends at once, with
/// status 128 and the signal's number.
///
/// A handler writes the signal's number into a pipe and a thread reads it there. Blocking the signals and `sigwait` would
/// be simpler, but under an asynchronous `main` Dispatch parks the main thread in `sigsuspend` with an empty mask, where
/// a blocked signal still ends the process.
public struct TerminationSignals: Sendable {
    private let signals: AsyncStream<Int32>

    /// Begins to take the signals.
    public init() {
        let (signals, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.signals = signals
        precondition(relayPipe.writing >= 0, "pipe failed")
        do {
            try startThread { takeSignals { continuation.yield($0) } }
        } catch {
            preconditionFailure("\(error)")
        }
        var action = sigaction()
        action.__sigaction_handler.sa_handler = relay
        action.sa_flags = SA_RESTART
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaction(number, &action, nil) }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Returns when the first signal has come, or when the task is cancelled; for one caller.
    public func first() async {
        for await _ in signals { return }
    }
}

/// Made before the handler is installed, so that the handler only reads it. A full pipe must not block the handler.
private let relayPipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
}()

/// The handler: calls nothing but `write`, which signal-safety(7) allows.
private func relay(_ signal: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = write(relayPipe.writing, &byte, 1)
    errno = code
}

/// The thread's life, which is the process's.
private func takeSignals(_ ask: (Int32) -> Void) {
    var wasAsked = false
    while true {
        var signal: UInt8 = 0
        guard read(relayPipe.reading, &signal, 1) == 1 else { continue }
        if wasAsked { _exit(128 + Int32(signal)) }
        wasAsked = true
        ask(Int32(signal))
    }
}
