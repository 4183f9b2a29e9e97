import CMicrohttpd
import Concurrency
import Dispatch
import Glibc

/// An HTTP/1.1 server for a process's own pages: health, metrics, the board, the sandbox's upstreams.
///
/// One thread of GNU libmicrohttpd waits in epoll for all connections. Each request's handler runs as its own task, so
/// a slow handler delays no other. Requests and responses are held in memory whole, except for ``StreamingBody``. The
/// server has no routing and no TLS, and reads heads strictly: what smuggling needs is refused.
///
/// A server runs until ``shutdown(grace:)``, even if nothing references it.
public final class HTTPServer: Sendable {
    /// Handles a request. Its task is cancelled when the server shuts down and the grace period is over, not when the
    /// client disconnects.
    public typealias Handler = @Sendable (WebRequest) async -> WebResponse
    /// Returns the maximum size in bytes of a body, by the request's head, where that is more than `Limits.body`; nil
    /// for the default. It allows uploads by clients that are logged in.
    public typealias BodyLimitOverride = @Sendable (_ head: WebRequest) -> Int?

    private struct State {
        var daemon: MHDPointer?
        var stopping: Task<Void, Never>?
        /// The requests being handled, and those whose response has not been sent.
        var pendingRequests: [ObjectIdentifier: PendingRequest] = [:]
        var counters = HTTPServerCounters()
        var queued: QueuedBytes
        var bodies: BodyBudget
        var uploads: BodyBudget
    }

    /// The address and port that the server is bound to: `127.0.0.1:40211`, `[::]:8080`.
    public let address: String
    let limits: Limits
    let deadlines: RequestDeadlines
    let hosts: HostPolicy
    let proxies: Set<ClientAddress>
    let bodyLimitOverride: BodyLimitOverride
    let busyResponse: WebResponse
    private let handler: Handler
    private let state: AsyncCondition<State>

    /// Creates a server that listens on `address` and serves at once.
    ///
    /// - Parameters:
    /// - address: An IP address and a port. `0.0.0.0:80` accepts every IPv4 client, `[::]:80` IPv6 clients too; port 0
    ///   lets the system choose.
    /// - proxies: The addresses of proxies, whose `X-Forwarded-For` names the client's address.
    /// - busyResponse: Answers a request for whose body there is no memory.
    public init(
        address: String, limits: Limits = Limits(), hosts: HostPolicy = .any,
        proxies: Set<ClientAddress> = [], bodyLimitOverride: @escaping BodyLimitOverride = { _ in nil },
        busyResponse: WebResponse = .busy, handler: @escaping Handler
    ) throws(HTTPServerError) {
        let socket = try ListeningSocket(address: address)
        self.address = socket.address
        self.limits = limits
        self.hosts = hosts
        self.bodyLimitOverride = bodyLimitOverride
        self.busyResponse = busyResponse
        self.handler = handler
        self.proxies = proxies
        state = AsyncCondition(
            State(
                queued: QueuedBytes(limit: limits.queuedBytes), bodies: BodyBudget(limit: limits.bodies),
                uploads: BodyBudget(limit: limits.uploads)))
        deadlines = RequestDeadlines(span: limits.requestDeadline, limit: limits.waitingConnections)

        // MHD's callbacks use the server unretained; `stop` releases this reference after the last callback.
        let context = Unmanaged.passRetained(self)
        guard let daemon = Self.start(on: socket.descriptor, limits: limits, context: context.toOpaque()) else {
            context.release()
            throw .cannotStart(address: address)
        }
        let handle = MHDPointer(pointer: daemon)
        state.update { $0.daemon = handle }
    }

    /// Counts of connections and requests, for metrics.
    public var counters: HTTPServerCounters {
        var counters = state.read { $0.counters }
        counters.unread = state.read { $0.queued.cutCount }
        (counters.late, counters.crowded) = deadlines.disconnectCounts
        return counters
    }

    /// Stops the server: closes idle connections, ends streaming bodies, lets handlers finish within `grace` and
    /// answers the rest with 503.
    ///
    /// New requests are answered with 503 until the last response is sent. Returns when the server's thread has ended,
    /// at most a second after `grace`; the address is free then. Can be called again, and from several tasks.
    public func shutdown(grace: Duration) async {
        let stopping = state.update { state in
            let task = state.stopping ?? Task { await self.stop(grace: grace) }
            state.stopping = task
            return task
        }
        await stopping.value
    }

    private func stop(grace: Duration) async {
        // MHD closes the listening socket at the end. Taking it away earlier (MHD_quiesce_daemon) races with MHD's
        // thread, which aborts the process if it loses.
        deadlines.disconnectAll()
        endStreamingBodies()
        await idle(within: grace)
        for pending in state.read({ Array($0.pendingRequests.values) }) {
            pending.cancel(with: .stopping)
        }
        endStreamingBodies()
        await idle(within: .seconds(1))

        // MHD_stop_daemon aborts the process if a connection is suspended. None is: each request has a response, which
        // resumed its connection, and since `stopping` is set `serve` suspends no other.
        guard let daemon = state.read({ $0.daemon }) else { return }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {  // it joins MHD's thread
                MHD_stop_daemon(daemon.pointer)
                continuation.resume()
            }
        }
        Unmanaged.passUnretained(self).release()
    }

    private func endStreamingBodies() {
        for pending in state.read({ Array($0.pendingRequests.values) }) { pending.endStreamingBody() }
    }

    private func idle(within limit: Duration) async {
        // Fails only at the limit.
        try? await withDeadline(limit, orThrow: CancellationError()) { [state] in
            _ = await state.wait { $0.pendingRequests.isEmpty }
        }
    }
}

// MARK: - Callbacks from MHD

extension HTTPServer {
    /// Starts the handler for a request and suspends its connection; false if the server is stopping. Called on MHD's
    /// thread only.
    func serve(_ request: WebRequest, in pending: PendingRequest, on connection: MHDPointer) -> Bool {
        let isServed = state.update { state in
            guard state.stopping == nil else { return false }
            state.pendingRequests[ObjectIdentifier(pending)] = pending
            state.counters.requests += 1
            pending.suspend(connection)
            return true
        }
        guard isServed else { return false }
        pending.setHandlerTask(Task { pending.finish(with: await handler(request)) })
        return true
    }

    /// Forgets a request whose response is sent or whose client has disconnected.
    func finish(_ pending: PendingRequest) {
        state.update { state in
            state.pendingRequests[ObjectIdentifier(pending)] = nil
            state.queued.remove(ObjectIdentifier(pending))
            state.bodies.remove(ObjectIdentifier(pending))
            state.uploads.remove(ObjectIdentifier(pending))
        }
    }

    /// Counts a body that is about to arrive, until its request is answered; false if there is no memory for it.
    func admitBody(of pending: PendingRequest, bytes: Int, isUpload: Bool) -> Bool {
        state.update { state in
            let key = ObjectIdentifier(pending)
            let isAdmitted = isUpload ? state.uploads.admit(key, bytes) : state.bodies.admit(key, bytes)
            if !isAdmitted { state.counters.busy += 1 }
            return isAdmitted
        }
    }

    /// Counts the memory of a response that is about to be sent, and cuts others if it is too much.
    ///
    /// MHD closes a descriptor only after ``finish(_:)``, which takes the same lock: a descriptor that is reused for another
    /// connection is never cut.
    func countQueued(_ response: WebResponse, of pending: PendingRequest, on descriptor: Int32) {
        state.update { state in
            for surplus in state.queued.add(ObjectIdentifier(pending), response.body, on: descriptor) {
                resetSocket(surplus)
            }
        }
    }

    func countConnections(_ change: Int) {
        state.update { $0.counters.connections += change }
    }

    func countMalformed() {
        state.update { $0.counters.malformed += 1 }
    }

    var isStopping: Bool {
        state.read { $0.stopping != nil }
    }
}

// MARK: - Limits

extension HTTPServer {
    /// Bounds on the resources that clients can use. The defaults suit a service on one machine.
    public struct Limits: Sendable {
        /// Maximum number of open connections; further ones wait in the system's queue.
        public var connections = 512
        /// Maximum number of open connections from one address; further ones are closed at once. Behind Docker's
        /// gateway, and on loopback, all clients share one address.
        public var connectionsPerAddress = 256
        /// Maximum number of connections that are idle or in the middle of a request; beyond it the server closes those
        /// that have waited longest. It is less than `connections`, so that idle clients do not keep others out.
        public var waitingConnections = 192
        /// Maximum size of a request's head in bytes; a longer one is answered with 431 (or 414).
        public var head = 16 << 10
        /// Memory in bytes for the heads of a request and its response, and a buffer of 1,280 bytes.
        var connectionMemory: Int { head / 2 * 3 }
        /// Maximum size of a request's body in bytes; a longer one is answered with 413.
        public var body = 64 << 10
        /// Maximum number of bytes of all bodies whose requests are not answered, whole or not; for another one a request is
        /// answered with 503. Bodies of 4 KiB do not count.
        public var bodies = 64 << 20
        /// The same for larger bodies (``HTTPServer/BodyLimitOverride``), which so are not kept out by others.
        public var uploads = 64 << 20
        /// Maximum number of bytes of responses that clients have not read, in the server and in the system; beyond it the
        /// server cuts those that have been sending for the longest time.
        public var queuedBytes = 64 << 20
        /// Time limit for a whole request, from the accept or the previous response to its last byte. It also closes
        /// idle connections. The library's own timeout restarts with each byte and so does not stop a client that sends
        /// slowly.
        public var requestDeadline: Duration = .seconds(15)
        /// Time limit for a request with a larger body (``HTTPServer/BodyLimitOverride``), from its head to its last
        /// byte.
        public var uploadDeadline: Duration = .seconds(300)
        /// Time limit for a client that does not read its response, in whole seconds.
        public var inactivity: Duration = .seconds(30)

        /// Creates the default limits.
        public init() {}
    }
}

// MARK: - Counters

/// Counts of a server's connections and requests, for metrics.
///
/// The library does not report, and so these counts do not include, connections that it closes because of the limit per
/// address and requests whose address is longer than a head can be.
public struct HTTPServerCounters: Sendable, Hashable {
    /// Open connections.
    public internal(set) var connections = 0
    /// Requests that arrived whole.
    public internal(set) var requests = 0
    /// Requests that could not be read, or were too large.
    public internal(set) var malformed = 0
    /// Requests for whose body there was no memory.
    public internal(set) var busy = 0
    /// Connections closed because no whole request arrived in time, including idle ones.
    public internal(set) var late = 0
    /// Connections closed to make room, because they had waited longest.
    public internal(set) var crowded = 0
    /// Connections cut because the responses that clients have not read took too much memory.
    public internal(set) var unread = 0
}
