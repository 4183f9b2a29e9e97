internal import CZMQ
internal import Concurrency
internal import Glibc

/// The event loop of an `IOThread`: its sockets, and the loop that waits for them. Only that thread may use it.
final class Poller {
    typealias Job = @Sendable (Poller) -> Void

    enum Phase {
        case running
        /// No socket can be opened any more; the open ones send what they have queued.
        case closing
        /// All sockets are closed and libzmq ends the context; the poller stops waiting for it at the deadline.
        case ending(ContinuousClock.Instant)
        case ended
    }

    /// How long libzmq may take beyond the linger to end the context.
    private static let grace = Duration.milliseconds(250)
    /// The number of iterations without a poll(2), after which the descriptors are checked again.
    private static let iterationsPerWait = 16

    /// What other threads want done; the thread does it in the order in which it was posted.
    let wakeupQueue: WakeupQueue<[Job]>
    let context: Context
    let encryption: Encryption?
    let observer: ConnectionGuard.Observer
    /// The endpoint of the ZAP handler, open from before the first encrypted server is bound until the last is closed.
    var zapEndpoint: InprocEndpoint? { didSet { updatePollSet() } }
    var sockets: [Int: PolledSocket] = [:] { didSet { updatePollSet() } }
    private var orderedSockets: [PolledSocket] = []
    private var pollSources: [any PollSource] = []
    /// The descriptors to wait for: the wakeup queue's, then those of `pollSources` in their order.
    private var descriptors: [pollfd] = []
    var lastID = 0
    private(set) var phase = Phase.running
    private var lingerDeadline = ContinuousClock.now
    private var shutdownHandlers: [@Sendable () -> Void] = []
    private var isReleased = false

    init(
        wakeupQueue: WakeupQueue<[Job]>, context: Context, encryption: Encryption?,
        observer: ConnectionGuard.Observer
    ) {
        self.wakeupQueue = wakeupQueue
        self.context = context
        self.encryption = encryption
        self.observer = observer
    }

    // MARK: - Loop

    /// Runs the loop until the `IOThread` is released and the context has ended.
    func run() {
        updatePollSet()
        while true {
            var hasMore = true
            for _ in 0..<Self.iterationsPerWait where hasMore { hasMore = runOnce() }
            if case .ended = phase, isReleased { return }
            wait(hasMore: hasMore)
        }
    }

    /// Runs all posted jobs and one step of each busy socket; returns whether more work is ready.
    private func runOnce() -> Bool {
        let jobs = wakeupQueue.take { jobs in
            defer { jobs = [] }
            return jobs
        }
        for job in jobs { job(self) }
        for socket in orderedSockets where socket.canSend { socket.send() }
        for source in pollSources where source.needsPoll { source.poll() }
        closeSockets()
        return !wakeupQueue.isEmpty || pollSources.contains(where: \.needsPoll)
            || orderedSockets.contains(where: \.canSend)
    }

    /// Scans the connections if a scan is due, then sleeps until a descriptor is readable or a deadline has passed.
    private func wait(hasMore: Bool) {
        let now = ContinuousClock.now
        var deadline = firstDeadline
        if let due = deadline, due <= now {
            for socket in orderedSockets { socket.scanConnectionsIfDue(at: now) }
            deadline = firstDeadline
        }
        // poll(2) takes milliseconds; -1 waits without a limit.
        var timeout = deadline.map { Int32(clamping: ($0 - now).milliseconds) } ?? -1
        if hasMore || !wakeupQueue.prepareToSleep() { timeout = 0 }
        if poll(&descriptors, nfds_t(descriptors.count), timeout) < 0 {
            // An interrupted call is the same as one that found nothing; every other error is a bug.
            return precondition(errno == EINTR, "poll: \(String(cString: strerror(errno)))")
        }
        if descriptors[0].revents != 0 { wakeupQueue.clearWakeup() }
        for (source, descriptor) in zip(pollSources, descriptors.dropFirst()) where descriptor.revents != 0 {
            source.needsPoll = true
        }
    }

    private func updatePollSet() {
        orderedSockets = sockets.sorted { $0.key < $1.key }.map(\.value)
        pollSources = [zapEndpoint].compactMap(\.self)
        for socket in orderedSockets {
            pollSources.append(socket)
            if let events = socket.connections.events { pollSources.append(events) }
        }
        descriptors = ([wakeupQueue.descriptor] + pollSources.map(\.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    /// The earliest time at which the loop must run without an event; nil if there is none.
    private var firstDeadline: ContinuousClock.Instant? {
        var first: ContinuousClock.Instant?
        if case .ending(let deadline) = phase { first = deadline }
        for socket in orderedSockets {
            guard let deadline = socket.deadline ?? socket.nextScan else { continue }
            first = min(first ?? deadline, deadline)
        }
        return first
    }

    // MARK: - Commands

    /// Sends what code on this thread has queued on a socket, so that a reply has left before that code continues.
    func send(_ id: Int) {
        guard let socket = sockets[id] else { return }
        socket.scheduleSend()
        if socket.canSend { socket.send() }
    }

    /// Closes a socket and then calls `handler`; calls it at once if the socket is closed already.
    func close(_ id: Int, then handler: @escaping @Sendable () -> Void) {
        guard let socket = sockets[id] else { return handler() }
        socket.close(then: handler)
        if let deadline = socket.deadline { lingerDeadline = max(lingerDeadline, deadline) }
    }

    func disconnect(keys: Set<String>) {
        for socket in orderedSockets { socket.connections.disconnect(keys: keys) }
    }

    // MARK: - Shutdown

    func shutDown(then handler: @escaping @Sendable () -> Void) {
        if case .ended = phase { return handler() }
        shutdownHandlers.append(handler)
        guard case .running = phase else { return }
        phase = .closing
        for id in sockets.keys { close(id) {} }
    }

    func release() {
        isReleased = true
        shutDown {}
    }

    private func closeSockets() {
        if case .running = phase, orderedSockets.allSatisfy({ $0.deadline == nil }) { return }
        let now = ContinuousClock.now
        for (id, socket) in sockets where socket.hasFinishedSending(at: now) {
            let handlers = socket.finish(at: now)
            sockets[id] = nil
            for handler in handlers { handler() }
        }
        switch phase {
        case .closing where sockets.isEmpty: endContext(at: now)
        case .ending(let deadline) where deadline <= now: end()
        default: break
        }
    }

    private func endContext(at now: ContinuousClock.Instant) {
        zapEndpoint = nil
        phase = .ending(max(now, lingerDeadline) + Self.grace)
        do {
            // On another thread, because libzmq may block in the resolver without a limit.
            try startThread { [context, wakeupQueue] in
                context.end()
                wakeupQueue.post { $0.end() }
            }
        } catch {
            context.end()
            end()
        }
    }

    private func end() {
        phase = .ended
        for handler in shutdownHandlers { handler() }
        shutdownHandlers = []
    }
}

/// A libzmq socket that the I/O thread polls when it has an event.
///
/// libzmq signals an event with a descriptor that stays readable until the events are read, and any use of the socket may
/// read them (ZMQ_FD in zmq_getsockopt(3)). Code that uses the socket therefore sets `needsPoll`, and the thread polls it
/// before it sleeps.
protocol PollSource: AnyObject {
    /// Becomes readable when the socket has an event.
    var descriptor: Int32 { get }
    /// Whether the socket may have work that its descriptor does not signal.
    var needsPoll: Bool { get set }

    /// Reads the events and does one step of the work.
    func poll()
}

extension WakeupQueue<[Poller.Job]> {
    func post(_ job: @escaping Poller.Job) {
        post { $0.append(job) }
    }
}

extension Poller {
    func open(
        _ kind: SocketKind, bind: [String], connect: [String], subscriptions: [String], options: SocketOptions
    ) throws(ZeroMQError) -> (SharedSocketState, addresses: [String]) {
        let subject = ([kind.rawValue] + bind + connect).joined(separator: " ")
        guard case .running = phase else { throw ZeroMQError("open", subject, code: ETERM) }
        precondition(
            encryption == nil || bind.isEmpty || connect.isEmpty, "an encrypted socket either binds or connects")
        // Only where an address is written out: of a name that has addresses of both families, libzmq would then try the
        // IPv6 one alone, even if the peer listens at the other.
        let usesIPv6 = (bind + connect).contains { $0.hasPrefix("tcp://[") }
        let settings =
            options.settings(for: kind, isBound: !bind.isEmpty, isEncrypted: encryption != nil)
            + [SocketSetting(ZMQ_IPV6, usesIPv6 ? 1 : 0)]
            + (try curveSettings(of: kind, isBound: !bind.isEmpty))
            + subscriptions.map { SocketSetting(ZMQ_SUBSCRIBE, bytes: Array($0.utf8)) }
        let handle = try SocketHandle(kind.type, named: subject, settings: settings, context: context.pointer)
        lastID += 1
        let shared = SharedSocketState(lastID, kind, options, scheduleSend: makeSendScheduler(for: lastID))
        let connections = try ConnectionGuard(
            handle, shared, isServer: !bind.isEmpty, isLocal: bind.allSatisfy { $0.hasPrefix("inproc:") },
            isEncrypted: encryption != nil, observer: observer, context: context)
        var addresses: [String] = []
        for address in bind { addresses.append(try handle.bind(to: address)) }
        for address in connect {
            try handle.connect(to: address)
            addresses.append(address)
        }
        sockets[shared.id] = PolledSocket(handle, connections, shared)
        return (shared, addresses)
    }

    /// Returns a function that sends a socket's messages: at once on this thread, otherwise in the thread's next iteration.
    private func makeSendScheduler(for id: Int) -> @Sendable () -> Void {
        let thread = pthread_self()
        // Sound because only this thread uses it, and the poller lives as long as the thread.
        nonisolated(unsafe) unowned let poller = self
        return { [wakeupQueue] in
            if pthread_equal(pthread_self(), thread) != 0 {
                poller.send(id)
            } else {
                wakeupQueue.post { $0.sockets[id]?.scheduleSend() }
            }
        }
    }

    /// Returns the CURVE settings of a socket, and opens the ZAP handler before the first bound socket.
    private func curveSettings(of kind: SocketKind, isBound: Bool) throws(ZeroMQError) -> [SocketSetting] {
        guard let encryption else { return [] }
        guard isBound else {
            guard let client = encryption.client else {
                preconditionFailure("this encryption has no key to connect with")
            }
            return client.settings
        }
        guard let server = encryption.server else { preconditionFailure("this encryption has no key to bind with") }
        // Before a client can connect, because libzmq admits every client while no handler is bound.
        if zapEndpoint == nil {
            let handler = ZAPHandler(admission: server.admission, onFailure: observer.onFailure)
            zapEndpoint = try InprocEndpoint(
                ZMQ_REP, at: ZAPHandler.address, in: context, onMessage: handler.reply(to:))
        }
        return server.settings(for: kind)
    }
}
