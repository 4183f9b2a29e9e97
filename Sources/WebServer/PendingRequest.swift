import CMicrohttpd
import Concurrency

/// One request and its answer, from the request line to the last byte sent or the client's end.
///
/// MHD's thread reads the request and sends the answer. In between the connection is suspended: MHD does not look at it,
/// and the handler's task may take as long as it likes. The first answer resumes the connection, later ones are ignored.
final class PendingRequest: Sendable {
    private enum Stage {
        /// The head has not been looked at.
        case target
        /// The body is coming in.
        case body
        /// The handler has the request, the connection is suspended.
        case handling(MHDPointer, Task<Void, Never>?)
        case answered(WebResponse)
    }

    private struct State {
        var stage = Stage.target
        var limit = 0
        var body: [UInt8] = []
        var isTooLarge = false
    }

    /// Path and query; nil if they cannot be read.
    let target: RequestTarget?
    private let state = Locked(State())

    init(target: RequestTarget?) {
        self.target = target
    }

    /// True once, when the head is in and nothing of the body.
    func beginsBody() -> Bool {
        state.withLock { state in
            guard case .target = state.stage else { return false }
            state.stage = .body
            return true
        }
    }

    /// Takes so many bytes of a body, and no more.
    func limitBody(to limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Takes a part of the body in; past the limit it is forgotten and answered 413 when it ends.
    func append(_ part: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.isTooLarge = state.isTooLarge || state.body.count + part.count > state.limit
            if state.isTooLarge {
                state.body = []
            } else {
                state.body.append(contentsOf: part)
            }
        }
    }

    /// The whole body; nil if it was too large.
    func takeBody() -> [UInt8]? {
        state.withLock { state in
            defer { state.body = [] }
            return state.isTooLarge ? nil : state.body
        }
    }

    /// The answer, if there is one.
    var answer: WebResponse? {
        state.withLock { if case .answered(let response) = $0.stage { response } else { nil } }
    }

    /// Suspends the connection until the answer is there (`MHD_suspend_connection`). MHD's thread only.
    func suspend(_ connection: MHDPointer) {
        state.withLock { $0.stage = .handling(connection, nil) }
        MHD_suspend_connection(connection.pointer)
    }

    /// Keeps the handler's task, to cancel it if need be: at once if there is an answer already.
    func handle(in task: Task<Void, Never>) {
        let isKept = state.withLock { state in
            guard case .handling(let connection, nil) = state.stage else { return false }
            state.stage = .handling(connection, task)
            return true
        }
        if !isKept { task.cancel() }
    }

    /// Answers, unless it is answered (`MHD_resume_connection`).
    ///
    /// Resumed under the lock: who finds the exchange answered may rely on the connection not being suspended.
    func finish(with response: WebResponse) {
        state.withLock { state in
            guard case .handling(let connection, _) = state.stage else { return }
            state.stage = .answered(response)
            MHD_resume_connection(connection.pointer)
        }
    }

    /// Ends a body that has no end of its own.
    func endOpenBody() {
        if case .open(let body) = answer?.body { body.end() }
    }

    /// Answers in the handler's place and cancels it.
    func abandon(with response: WebResponse) {
        let task: Task<Void, Never>? = state.withLock {
            if case .handling(_, let task) = $0.stage { task } else { nil }
        }
        finish(with: response)
        task?.cancel()
    }
}
