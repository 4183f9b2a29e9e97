internal import CZMQ
internal import Locking

/// The inside of an `IOThread`: its sockets and the loop that waits for them. Touched by that thread alone.
final class Poller {
    private enum Phase {
        case running
        /// No socket is opened any more, those there are send what they have.
        case closing
        /// All sockets are closed; libzmq ends the context, or is given up on at the deadline.
        case ending(ContinuousClock.Instant)
        case ended
    }

    /// What libzmq gets on top of the linger before it is given up on.
    private static let grace = Duration.milliseconds(250)

    private let mailbox: Mailbox
    private let context: Context
    private let encryption: Encryption?
    private let onHandshakeFailure: @Sendable (HandshakeFailure) -> Void
    /// The door of the servers, from before the first of them is bound.
    private var doorman: Ear?
    private var sockets: [Int: PolledSocket] = [:]
    private var lastID = 0
    private var phase = Phase.running
    private var lingersUntil = ContinuousClock.now
    private var atEnd: [@Sendable () -> Void] = []
    private var isAbandoned = false

    init(
        mailbox: Mailbox, context: Context, encryption: Encryption?,
        onHandshakeFailure: @escaping @Sendable (HandshakeFailure) -> Void
    ) {
        self.mailbox = mailbox
        self.context = context
        self.encryption = encryption
        self.onHandshakeFailure = onHandshakeFailure
    }

    /// Serves until nobody holds the `IOThread` any more.
    func run() {
        while true {
            for work in mailbox.take() { work(self) }
            for socket in sockets.values where socket.isBusy { socket.send() }
            closeSockets()
            if case .ended = phase, isAbandoned { return }
            poll()
        }
    }

    private func poll() {
        let polled = Array(sockets.values)
        var items = [zmq_pollitem_t(socket: nil, fd: mailbox.descriptor, events: Int16(ZMQ_POLLIN), revents: 0)]
        for socket in polled {
            let events = Int16(socket.interest)
            items.append(zmq_pollitem_t(socket: socket.handle.socket, fd: 0, events: events, revents: 0))
        }
        let ears = [doorman].compactMap(\.self) + polled.compactMap(\.monitor)
        for ear in ears {
            items.append(zmq_pollitem_t(socket: ear.handle.socket, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0))
        }
        let mustReturn = polled.contains(where: \.isBusy) || !mailbox.fallAsleep()
        // Interrupted is no different from nothing ready; anything else is a fault of ours.
        if zmq_poll(&items, Int32(items.count), mustReturn ? 0 : timeout(polled)) < 0 {
            let code = zmq_errno()
            precondition(code == EINTR, "zmq_poll: \(String(cString: zmq_strerror(code)))")
            return
        }
        if items[0].revents != 0 { mailbox.clear() }
        for (socket, item) in zip(polled, items.dropFirst()) where item.revents != 0 {
            socket.react(to: Int32(item.revents))
        }
        for (ear, item) in zip(ears, items.dropFirst(1 + polled.count)) where item.revents != 0 { ear.react() }
    }

    /// Milliseconds until the first deadline, or -1 for ever.
    private func timeout(_ polled: [PolledSocket]) -> Int {
        var deadlines = polled.compactMap(\.deadline)
        if case .ending(let deadline) = phase { deadlines.append(deadline) }
        return deadlines.min().map { ContinuousClock.now.duration(to: $0).milliseconds } ?? -1
    }
}

// What comes through the mailbox.
extension Poller {
    /// What an opened socket's facade needs.
    struct Opening: Sendable {
        let id: Int
        let exchange: Exchange
        let addresses: [String]
    }

    func open(
        _ kind: SocketKind, bind: [String], connect: [String], subscriptions: [String], options: SocketOptions
    ) throws(ZeroMQError) -> Opening {
        let subject = ([kind.rawValue] + bind + connect).joined(separator: " ")
        guard case .running = phase else { throw .closed("open", subject) }
        precondition(encryption == nil || bind.isEmpty || connect.isEmpty, "A socket is a server or a client of CURVE")
        let settings = options.settings(for: kind) + (try security(of: kind, isBound: !bind.isEmpty))
        let handle = try SocketHandle.open(kind.type, named: subject, settings: settings, context: context.pointer)
        let counters = Locked(SocketCounters())
        lastID += 1
        let id = lastID
        let watch = ConnectionWatch(
            kind, limit: options.maximumConnections, counters: counters, onFailure: onHandshakeFailure)
        let events = ConnectionWatch.events(isServer: !bind.isEmpty)
        let monitor =
            try bind.isEmpty && encryption == nil ? nil : monitor(handle, events, watch, named: "monitor-\(id)")
        for prefix in subscriptions { handle.subscribe(to: prefix) }
        var addresses: [String] = []
        for address in bind { addresses.append(try handle.bind(to: address)) }
        for address in connect {
            try handle.connect(to: address)
            addresses.append(address)
        }

        let exchange = Exchange(
            inbox: Inbox(limit: options.inboxBytes),
            outbox: Outbox(limit: options.outboxLimit) { [mailbox] in mailbox.post { $0.sockets[id]?.schedule() } },
            counters: counters)
        sockets[id] = PolledSocket(
            handle, monitor: monitor, kind: kind, options: options, exchange: exchange, isBound: !bind.isEmpty)
        return Opening(id: id, exchange: exchange, addresses: addresses)
    }

    /// What CURVE needs on a socket; the doorman is there before the first socket that strangers can
    /// reach, and until the last is closed: libzmq lets everybody in where nobody answers the door.
    private func security(of kind: SocketKind, isBound: Bool) throws(ZeroMQError) -> [SocketSetting] {
        guard let encryption else { return [] }
        guard isBound else {
            guard let client = encryption.client else { preconditionFailure("There is no key to connect with") }
            return client.settings
        }
        guard let server = encryption.server else { preconditionFailure("There is no key to bind with") }
        if doorman == nil {
            let rules = Doorman(admission: server.admission, onFailure: onHandshakeFailure)
            doorman = try Ear(ZMQ_REP, named: "doorman", in: context) { (handle) throws(ZeroMQError) in
                _ = try handle.bind(to: Doorman.address)
            } hear: {
                rules.answer($0)
            }
        }
        return server.settings(for: kind)
    }

    private func monitor(
        _ handle: borrowing SocketHandle, _ events: Int32, _ watch: ConnectionWatch, named name: String
    ) throws(ZeroMQError) -> Ear {
        let address = "inproc://\(name)"
        try handle.monitor(events, at: address)
        return try Ear(ZMQ_PAIR, named: name, in: context) { (handle) throws(ZeroMQError) in
            try handle.connect(to: address)
        } hear: { message in
            watch.hear(message)
            return nil
        }
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
        let now = ContinuousClock.now
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
    private func endContext(at now: ContinuousClock.Instant) {
        doorman = nil
        phase = .ending(max(now, lingersUntil) + Self.grace)
        do {
            _ = try startThread(for: "end of context") { [context, mailbox] in
                context.end()
                mailbox.post { $0.end() }
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
