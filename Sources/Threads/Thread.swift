public import Glibc

/// Starts a thread that no signal ever lands on and nobody joins, with pthread_create(3); returns its id.
@discardableResult
public func startThread(_ body: sending @escaping () -> Void) throws(SystemError) -> pthread_t {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(ThreadStart(body))
    let status = withSignalsBlocked { pthread_create(&thread, nil, runThread, start.toOpaque()) }
    guard status == 0 else {
        start.release()
        throw SystemError(function: "pthread_create", code: status)
    }
    pthread_detach(thread)
    return thread
}

/// Calls `body` with all signals blocked, also for the threads that it starts: a thread begins with the mask of the one
/// that made it, and the signals that stop a process are for the thread that waits for them.
public func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return body()
}

private final class ThreadStart {
    let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }
}

private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body() }
    return nil
}
