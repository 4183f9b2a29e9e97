import CMicrohttpd
import Concurrency

/// A request and its response, from the request line until the last byte is sent or the client disconnects.
///
/// MHD's thread reads the request and sends the response. In between the connection is suspended: MHD ignores it while
/// the handler's task runs. The first response resumes the connection; later ones are ignored.
final class PendingRequest: Sendable {
    private enum Stage {
        /// The head has not been checked.
        case head
        /// The body is arriving.
        case body
        /// The handler is running and the connection is suspended.
        case handling(MHDPointer, Task<Void, Never>?)
        case answered(WebResponse)
    }

    private struct State {
        var stage = Stage.head
        var limit = 0
        var body: [UInt8] = []
        var refusal: WebResponse?
    }

    /// The path and query; nil if they cannot be decoded.
    let target: RequestTarget?
    /// The length of the target in bytes, as sent.
    let targetLength: Int
    private let state = Locked(State())

    init(target: RequestTarget?, targetLength: Int) {
        self.target = target
        self.targetLength = targetLength
    }

    /// Moves from the head to the body; true only the first time.
    func beginBody() -> Bool {
        state.withLock { state in
            guard case .head = state.stage else { return false }
            state.stage = .body
            return true
        }
    }

    func limitBody(to limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Discards the body as it arrives, and answers it with `response` when it ends: a client that is answered in the
    /// middle of its body may not see the answer.
    func discardBody(answering response: WebResponse) {
        state.withLock { $0.refusal = response }
    }

    var refusal: WebResponse? { state.withLock { $0.refusal } }

    /// Appends a part of the body. One over the limit, which is more than the head announced, is discarded and refused.
    func append(_ part: UnsafeRawBufferPointer) {
        state.withLock { state in
            guard state.refusal == nil else { return }
            state.body.append(contentsOf: part)
            if state.body.count > state.limit { (state.body, state.refusal) = ([], .tooLarge) }
        }
    }

    func takeBody() -> [UInt8] {
        state.withLock { state in
            defer { state.body = [] }
            return state.body
        }
    }

    var response: WebResponse? {
        state.withLock { if case .answered(let response) = $0.stage { response } else { nil } }
    }

    /// Suspends the connection until there is a response (`MHD_suspend_connection`). Called on MHD's thread only.
    func suspend(_ connection: MHDPointer) {
        state.withLock { $0.stage = .handling(connection, nil) }
        MHD_suspend_connection(connection.pointer)
    }

    /// Stores the handler's task so that it can be cancelled; cancels it at once if there is a response already.
    func setHandlerTask(_ task: Task<Void, Never>) {
        let isKept = state.withLock { state in
            guard case .handling(let connection, nil) = state.stage else { return false }
            state.stage = .handling(connection, task)
            return true
        }
        if !isKept { task.cancel() }
    }

    /// Sets the response, unless there is one, and resumes the connection (`MHD_resume_connection`).
    ///
    /// The connection is resumed under the lock, so a request that has a response is never suspended.
    func finish(with response: WebResponse) {
        state.withLock { state in
            guard case .handling(let connection, _) = state.stage else { return }
            state.stage = .answered(response)
            MHD_resume_connection(connection.pointer)
        }
    }

    func endStreamingBody() {
        if case .streaming(let body) = response?.body { body.end() }
    }

    func cancel(with response: WebResponse) {
        let task: Task<Void, Never>? = state.withLock {
            if case .handling(_, let task) = $0.stage { task } else { nil }
        }
        finish(with: response)
        task?.cancel()
    }
}

// MARK: - MHD pointer

/// A pointer to an MHD object: the daemon or a connection.
///
/// `@unchecked Sendable` is sound because every MHD function that is called with it off MHD's thread is thread-safe:
/// `MHD_resume_connection` and `MHD_stop_daemon` take MHD's locks. The object outlives its use: MHD does not free a
/// suspended connection before it is resumed, which `PendingRequest` does once, and the daemon is stopped once, when
/// nothing is suspended and nothing can be.
struct MHDPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}
