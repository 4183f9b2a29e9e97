import CMicrohttpd
import Concurrency
import Dispatch
import Glibc

/// An HTTP/1.1 server for a service's own pages: health, metrics, a board, a make-believe upstream.
///
/// One thread of GNU libmicrohttpd waits in epoll for all connections; each request's handler runs as a task of its own,
/// so a slow one holds up nobody. Requests and answers are held in memory whole, but for answers that stay open
/// (`StreamingBody`). It does no routing and no TLS; a body with both a length and a chunked encoding is refused rather than guessed at.
///
/// A server runs until `shutdown(grace:)`, whether somebody holds a reference or not.
public final class HTTPServer: Sendable {
    /// Answers a request. It is cancelled if the server is shut down and the grace is over, not when its client leaves.
    public typealias Handler = @Sendable (WebRequest) async -> WebResponse
    /// Looks at a request's head before its body comes in, and says how many bytes the body may have where that is more
    /// than `Limits.body`: for uploads of somebody who is known.
    public typealias BodyLimitOverride = @Sendable (_ head: WebRequest) -> Int?

    private struct State {
        var daemon: MHDPointer?
        var stopping: Task<Void, Never>?
        /// The requests that a handler has, and those whose answer is not sent yet.
        var exchanges: [ObjectIdentifier: PendingRequest] = [:]
        var whenIdle: CheckedContinuation<Void, Never>?
        var counters = HTTPServerCounters()
    }

    /// Where the server listens, with the real port: `127.0.0.1:40211`, `[::]:8080`.
    public let address: String
    let limits: Limits
    let deadlines: RequestDeadlines
    let allowance: BodyLimitOverride
    private let handler: Handler
    private let state = Locked(State())

    /// Listens on `address`, an IP address and a port, and serves at once.
    ///
    /// `0.0.0.0:80` takes every IPv4 client, `[::]:80` IPv6 clients too, and port 0 is one that the system chooses.
    public init(
        address: String, limits: Limits = Limits(), allowing allowance: @escaping BodyLimitOverride = { _ in nil },
        handler: @escaping Handler
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket(address: address)
        self.address = socket.address
        self.limits = limits
        self.allowance = allowance
        self.handler = handler
        deadlines = RequestDeadlines(span: limits.requestDeadline, limit: limits.waiting)

        // MHD's callbacks hold the server without counting; this reference is given back when there are no more.
        let context = Unmanaged.passRetained(self)
        guard let daemon = Self.start(on: socket.descriptor, limits: limits, context: context.toOpaque()) else {
            context.release()
            throw .cannotStart(address: address)
        }
        let handle = MHDPointer(pointer: daemon)
        state.withLock { $0.daemon = handle }
    }

    /// What the server has done so far.
    public var counters: HTTPServerCounters {
        var counters = state.withLock { $0.counters }
        (counters.late, counters.crowded) = deadlines.cuts
        return counters
    }

    /// Stops: what waits for a request is cut, open bodies are ended, what is being handled may finish within `grace`, the rest is answered 503.
    ///
    /// Until the last answer is sent, new requests are answered 503. Afterwards the address is free. Returns when the
    /// server's thread has ended, a second after `grace` at the latest; may be called again, and from several tasks.
    public func shutdown(grace: Duration) async {
        let stopping = state.withLock { state in
            let task = state.stopping ?? Task { await self.stop(grace: grace) }
            state.stopping = task
            return task
        }
        await stopping.value
    }

    private func stop(grace: Duration) async {
        // The listening socket stays MHD's to the end. To take it away (MHD_quiesce_daemon) races with MHD's thread,
        // which aborts the process when it loses.
        deadlines.cutAll()
        endOpenBodies()
        await idle(within: grace)
        for exchange in state.withLock({ Array($0.exchanges.values) }) {
            exchange.abandon(with: .stopping)
        }
        endOpenBodies()
        await idle(within: .seconds(1))

        // MHD_stop_daemon aborts the process if a connection is suspended. None is: each exchange is answered, which
        // resumes it, and since `stopping` is set `serve` suspends no other.
        guard let daemon = state.withLock({ $0.daemon }) else { return }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {  // it joins MHD's thread
                MHD_stop_daemon(daemon.pointer)
                continuation.resume()
            }
        }
        Unmanaged.passUnretained(self).release()
    }

    private func endOpenBodies() {
        for exchange in state.withLock({ Array($0.exchanges.values) }) { exchange.endOpenBody() }
    }

    /// Waits until every answer is sent, or `limit` is over.
    private func idle(within limit: Duration) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.whenIdle = continuation
                if state.exchanges.isEmpty { Self.resume(&state.whenIdle) }
            }
            // Not before somebody waits: it would find nobody to wake.
            timer = Task {
                do { try await Task.sleep(for: limit) } catch { return }
                state.withLock { Self.resume(&$0.whenIdle) }
            }
        }
        timer?.cancel()
        await timer?.value  // so that it wakes nobody later
    }

    private static func resume(_ continuation: inout CheckedContinuation<Void, Never>?) {
        continuation?.resume()
        continuation = nil
    }
}

extension HTTPServer {
    /// Hands a request to the handler and suspends its connection; false if the server is stopping. MHD's thread only.
    func serve(_ request: WebRequest, in exchange: PendingRequest, on connection: MHDPointer) -> Bool {
        let isServed = state.withLock { state in
            guard state.stopping == nil else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            state.counters.requests += 1
            exchange.suspend(connection)
            return true
        }
        guard isServed else { return false }
        exchange.handle(in: Task { exchange.finish(with: await handler(request)) })
        return true
    }

    /// The answer is sent, or the client has gone.
    func close(_ exchange: PendingRequest) {
        state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            if state.exchanges.isEmpty { Self.resume(&state.whenIdle) }
        }
    }

    /// A connection has come, or has gone.
    func countConnections(_ change: Int) {
        state.withLock { $0.counters.connections += change }
    }

    /// A request cannot be read, or is too large.
    func countMalformed() {
        state.withLock { $0.counters.malformed += 1 }
    }

    /// Whether answers should end their connections.
    var isStopping: Bool {
        state.withLock { $0.stopping != nil }
    }
}
