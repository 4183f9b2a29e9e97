internal import Glibc

/// Starts a thread that no signal ever lands on and nobody joins, with pthread_create(3); returns its id.
func startThread(for purpose: String, _ body: sending @escaping () -> Void) throws(ZeroMQError) -> pthread_t {
    // A thread begins with the mask of the one that made it.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var thread = pthread_t()
    let start = Unmanaged.passRetained(ThreadStart(body))
    let status = pthread_create(&thread, nil, runThread, start.toOpaque())
    guard status == 0 else {
        start.release()
        throw ZeroMQError("start", purpose, code: status)
    }
    pthread_detach(thread)
    return thread
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
