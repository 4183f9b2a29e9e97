internal import CZMQ
internal import Concurrency
internal import Glibc

extension Poller {
    /// What an opened socket's facade needs.
    struct OpenedSocket: Sendable {
        let id: Int
        let exchange: SharedSocketState
        let addresses: [String]
    }

    func open(
        _ kind: SocketKind, bind: [String], connect: [String], subscriptions: [String], options: SocketOptions
    ) throws(ZeroMQError) -> OpenedSocket {
        let subject = ([kind.rawValue] + bind + connect).joined(separator: " ")
        guard case .running = phase else { throw .closed("open", subject) }
        precondition(encryption == nil || bind.isEmpty || connect.isEmpty, "A socket is a server or a client of CURVE")
        let settings = options.settings(for: kind) + (try security(of: kind, isBound: !bind.isEmpty))
        let handle = try SocketHandle.open(kind.type, named: subject, settings: settings, context: context.pointer)
        let counters = Locked(SocketCounters())
        let unread = kind == .router ? UnreadByteAccounting() : nil
        lastID += 1
        let id = lastID
        let watch = ConnectionMonitor(
            kind, isServer: !bind.isEmpty, isEncrypted: encryption != nil, options: options, unread: unread,
            counters: counters, news: news)
        let events = ConnectionMonitor.events(isEncrypted: encryption != nil)
        let monitor =
            try bind.isEmpty && encryption == nil ? nil : monitor(handle, events, watch, named: "monitor-\(id)")
        for prefix in subscriptions { handle.subscribe(to: prefix) }
        var addresses: [String] = []
        for address in bind { addresses.append(try handle.bind(to: address)) }
        for address in connect {
            try handle.connect(to: address)
            addresses.append(address)
        }

        let exchange = SharedSocketState(
            inbox: ReceiveQueue(limit: options.inboxBytes),
            outbox: SendQueue(limit: options.outboxLimit, unread: unread, schedule: sending(from: id)),
            unread: unread, counters: counters)
        sockets[id] = PolledSocket(
            handle, monitor: monitor, watch: bind.isEmpty ? nil : watch, kind: kind, options: options,
            exchange: exchange)
        return OpenedSocket(id: id, exchange: exchange, addresses: addresses)
    }

    /// Has a socket's messages sent: at once if they were posted on this thread, otherwise when the thread comes to them.
    private func sending(from id: Int) -> @Sendable () -> Void {
        let thread = pthread_self()
        // Followed on this thread alone, whose poller lives as long as it does.
        nonisolated(unsafe) unowned let poller = self
        return { [wakeupQueue] in
            if pthread_equal(pthread_self(), thread) != 0 { poller.send(id) } else { wakeupQueue.post(sender: id) }
        }
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
            let rules = ZAPHandler(admission: server.admission, onFailure: news.failed)
            doorman = try InprocEndpoint(ZMQ_REP, named: "doorman", in: context) { (handle) throws(ZeroMQError) in
                _ = try handle.bind(to: ZAPHandler.address)
            } hear: {
                rules.answer($0)
            }
        }
        return server.settings(for: kind)
    }

    private func monitor(
        _ handle: borrowing SocketHandle, _ events: Int32, _ watch: ConnectionMonitor, named name: String
    ) throws(ZeroMQError) -> InprocEndpoint {
        let address = "inproc://\(name)"
        try handle.monitor(events, at: address)
        return try InprocEndpoint(ZMQ_PAIR, named: name, in: context) { (handle) throws(ZeroMQError) in
            try handle.connect(to: address)
        } hear: { message in
            watch.hear(message)
            return nil
        }
    }
}
