public import Glibc

/// Starts a detached thread with pthread_create(3) and returns its id.
///
/// All signals are blocked on the thread, so none of the process's signals is delivered to it.
///
/// - Throws: `SystemError` if the process cannot start another thread; `body` is not called then.
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

/// Calls `body` with all signals blocked, and restores the mask of the calling thread afterwards.
///
/// A thread that `body` starts inherits the mask, so the signals that stop a process reach only the thread that waits for
/// them.
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

/// A system call that failed. It had no effect, and may succeed later.
public struct SystemError: Error, Sendable, CustomStringConvertible {
    /// The name of the call, such as `eventfd`.
    public let function: String
    /// The error number (errno(3)).
    public let code: Int32

    /// Makes the error of a call that has just failed.
    public init(function: String, code: Int32) {
        self.function = function
        self.code = code
    }

    /// One line: `eventfd: Too many open files (errno 24)`.
    public var description: String {
        "\(function): \(String(cString: strerror(code))) (errno \(code))"
    }
}

/// Writes all bytes to a descriptor with write(2). Blocks while nobody reads them, also if the descriptor does not block.
///
/// - Throws: `SystemError` if write(2) fails; a part may have been written then.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let (count, code) = rest.withUnsafeBytes { (write(descriptor, $0.baseAddress, $0.count), errno) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if code == EAGAIN {
            var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&state, 1, -1)
        } else if code != EINTR {
            throw SystemError(function: "write", code: code)
        }
    }
}
