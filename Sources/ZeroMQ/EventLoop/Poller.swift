internal import Concurrency
internal import Glibc

/// The inside of an `IOThread`: its sockets and the loop that waits for them. Touched by that thread alone.
final class Poller {
    enum Phase {
        case running
        /// No socket is opened any more, those there are send what they have.
        case closing
        /// All sockets are closed; libzmq ends the context, or is given up on at the deadline.
        case ending(Duration)
        case ended
    }

    /// What libzmq gets on top of the linger before it is given up on.
    private static let grace = Duration.milliseconds(250)
    /// How much may be done for some before the others are listened to.
    private static let turnsPerWait = 16

    let wakeupQueue: WakeupQueue<PollerCommands>
    let context: Context
    let encryption: Encryption?
    let news: ConnectionObserver
    /// The door of the servers, from before the first of them is bound.
    var doorman: InprocEndpoint? { didSet { gather() } }
    var sockets: [Int: PolledSocket] = [:] { didSet { gather() } }
    /// The sockets, in the order of their opening.
    private var polled: [PolledSocket] = []
    /// What is listened to, and the descriptors to wait for: the wakeup queue's, then theirs.
    private var listeners: [any PollSource] = []
    private var descriptors: [pollfd] = []
    var lastID = 0
    var phase = Phase.running
    private var lingersUntil = Duration.uptime
    private var atEnd: [@Sendable () -> Void] = []
    private var isAbandoned = false

    init(wakeupQueue: WakeupQueue<PollerCommands>, context: Context, encryption: Encryption?, news: ConnectionObserver)
    {
        self.wakeupQueue = wakeupQueue
        self.context = context
        self.encryption = encryption
        self.news = news
    }

    /// Serves until nobody holds the `IOThread` any more.
    func run() {
        gather()
        while true {
            var hasMore = true
            for _ in 0..<Self.turnsPerWait where hasMore { hasMore = turn() }
            if case .ended = phase, isAbandoned { return }
            wait(hasMore: hasMore)
        }
    }

    /// Does what there is to do, and tells whether there is more.
    private func turn() -> Bool {
        let work = wakeupQueue.take()
        for job in work.jobs { job(self) }
        for sender in work.senders { sockets[sender]?.schedule() }
        for socket in polled where socket.isBusy { socket.send() }
        for listener in listeners where listener.mustLook { listener.look() }
        closeSockets()
        return !wakeupQueue.isEmpty || listeners.contains(where: \.mustLook) || polled.contains(where: \.isBusy)
    }

    /// Looks at the connections if it is time, and sleeps until there is something to do.
    private func wait(hasMore: Bool) {
        let now = Duration.uptime
        var deadline = firstDeadline
        if let due = deadline, due <= now {
            for socket in polled { socket.watchConnections(at: now) }
            deadline = firstDeadline
        }
        // Milliseconds, or for ever.
        var timeout = deadline.map { Int32(clamping: ($0 - now).milliseconds) } ?? -1
        if hasMore || !wakeupQueue.prepareToSleep() { timeout = 0 }
        // Interrupted is no different from nothing ready; anything else is a fault of ours.
        if poll(&descriptors, nfds_t(descriptors.count), timeout) < 0 {
            return precondition(errno == EINTR, "poll: \(String(cString: strerror(errno)))")
        }
        if descriptors[0].revents != 0 { wakeupQueue.clearWakeup() }
        for (listener, descriptor) in zip(listeners, descriptors.dropFirst()) where descriptor.revents != 0 {
            listener.mustLook = true
        }
    }

    private func gather() {
        polled = sockets.sorted { $0.key < $1.key }.map(\.value)
        listeners = [doorman].compactMap(\.self)
        for socket in polled {
            listeners.append(socket)
            if let monitor = socket.monitor { listeners.append(monitor) }
        }
        descriptors = ([wakeupQueue.descriptor] + listeners.map(\.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    /// When there is something to do at the latest, if ever.
    private var firstDeadline: Duration? {
        var first: Duration?
        if case .ending(let deadline) = phase { first = deadline }
        for socket in polled {
            guard let deadline = socket.deadline ?? socket.nextLook else { continue }
            first = min(first ?? deadline, deadline)
        }
        return first
    }
}

// What comes through the wakeup queue, or from work that runs on the thread.
extension Poller {
    /// Sends what a socket has been given by work on this thread: an answer leaves before whoever gave it goes on.
    func send(_ id: Int) {
        guard let socket = sockets[id] else { return }
        socket.schedule()
        if socket.isBusy { socket.send() }
    }

    func subscribe(_ id: Int, to prefix: String) throws(ZeroMQError) {
        guard let socket = sockets[id] else { throw .closed("subscribe to", prefix) }
        socket.handle.subscribe(to: prefix)
    }

    func value(of setting: SocketSetting, _ id: Int) -> Int64? {
        sockets[id]?.handle.value(of: setting)
    }

    /// Closes a socket; `done` is called once it is, or at once if it is already.
    func close(_ id: Int, done: @escaping @Sendable () -> Void) {
        guard let socket = sockets[id] else { return done() }
        socket.close(done: done)
        if let deadline = socket.deadline { lingersUntil = max(lingersUntil, deadline) }
    }

    /// Closes all sockets and ends the context; `done` is called once that is so.
    func shutDown(done: @escaping @Sendable () -> Void) {
        if case .ended = phase { return done() }
        atEnd.append(done)
        guard case .running = phase else { return }
        phase = .closing
        for id in sockets.keys { close(id) {} }
    }

    /// Nobody can use the thread any more: it ends after its context.
    func abandon() {
        isAbandoned = true
        shutDown {}
    }
}

// The end.
extension Poller {
    private func closeSockets() {
        if case .running = phase, !polled.contains(where: \.isClosing) { return }
        let now = Duration.uptime
        for (id, socket) in sockets where socket.isDone(at: now) {
            socket.finish(at: now)
            sockets[id] = nil
            socket.tellClosed()
        }
        switch phase {
        case .closing where sockets.isEmpty: endContext(at: now)
        case .ending(let deadline) where deadline <= now: end()
        default: break
        }
    }

    /// On a thread of its own, because libzmq may be stuck in the resolver, and then there is no end to wait for.
    private func endContext(at now: Duration) {
        doorman = nil
        phase = .ending(max(now, lingersUntil) + Self.grace)
        do {
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
        for done in atEnd { done() }
        atEnd = []
    }
}
