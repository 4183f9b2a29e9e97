internal import CZMQ
internal import Concurrency
internal import Glibc

extension Poller {
    /// An opened socket, as its public `Socket` needs it.
    struct OpenedSocket: Sendable {
        let id: Int
        let shared: SharedSocketState
        let addresses: [String]
    }

    func open(
        _ kind: SocketKind, bind: [String], connect: [String], subscriptions: [String], options: SocketOptions
    ) throws(ZeroMQError) -> OpenedSocket {
        let subject = ([kind.rawValue] + bind + connect).joined(separator: " ")
        guard case .running = phase else { throw .closed("open", subject) }
        precondition(
            encryption == nil || bind.isEmpty || connect.isEmpty, "an encrypted socket either binds or connects")
        // Only where an address is written out: of a name that has addresses of both families, libzmq would then try the
        // IPv6 one alone, even if the peer listens at the other.
        let usesIPv6 = (bind + connect).contains { $0.hasPrefix("tcp://[") }
        let settings =
            options.settings(for: kind, isBound: !bind.isEmpty, isEncrypted: encryption != nil)
            + [SocketSetting("ZMQ_IPV6", ZMQ_IPV6, usesIPv6 ? 1 : 0)]
            + (try curveSettings(of: kind, isBound: !bind.isEmpty))
        let handle = try SocketHandle.open(kind.type, named: subject, settings: settings, context: context.pointer)
        let counters = Locked(SocketCounters())
        let unreadBytes = kind == .router ? UnreadByteAccounting() : nil
        lastID += 1
        let id = lastID
        let monitor = ConnectionMonitor(
            kind, isServer: !bind.isEmpty, isEncrypted: encryption != nil, options: options, unreadBytes: unreadBytes,
            counters: counters, observer: observer)
        let isMonitored = !bind.isEmpty || encryption != nil
        let endpoint = isMonitored ? try openMonitorEndpoint(of: handle, for: monitor, named: "monitor-\(id)") : nil
        for prefix in subscriptions { handle.subscribe(to: prefix) }
        var addresses: [String] = []
        for address in bind { addresses.append(try handle.bind(to: address)) }
        for address in connect {
            try handle.connect(to: address)
            addresses.append(address)
        }

        let isPublisher = kind == .publisher && !bind.isEmpty
        var publisherMonitor: PublisherMonitor?
        if isPublisher, let endpoint {
            do { publisherMonitor = try PublisherMonitor(monitor, events: endpoint) } catch {
                throw ZeroMQError("watch", subject, code: error.code)
            }
        }
        let shared = SharedSocketState(
            receiveQueue: ReceiveQueue(limit: options.receiveQueueBytes),
            sendQueue: SendQueue(
                limit: options.sendQueueLimit, unreadBytes: unreadBytes, scheduleSend: makeSendScheduler(for: id)),
            unreadBytes: unreadBytes, counters: counters)
        sockets[id] = PolledSocket(
            handle, monitorEndpoint: isPublisher ? nil : endpoint,
            connections: bind.isEmpty || isPublisher ? nil : monitor, publisherMonitor: publisherMonitor, kind: kind,
            options: options, isLocal: bind.allSatisfy { $0.hasPrefix("inproc:") }, shared: shared)
        return OpenedSocket(id: id, shared: shared, addresses: addresses)
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
                wakeupQueue.post(sendingSocket: id)
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
            zapEndpoint = try InprocEndpoint(ZMQ_REP, named: "zap", in: context) { (handle) throws(ZeroMQError) in
                _ = try handle.bind(to: ZAPHandler.address)
            } onMessage: {
                handler.reply(to: $0)
            }
        }
        return server.settings(for: kind)
    }

    private func openMonitorEndpoint(
        of handle: borrowing SocketHandle, for monitor: ConnectionMonitor, named name: String
    ) throws(ZeroMQError) -> InprocEndpoint {
        let address = "inproc://\(name)"
        try handle.monitor(ConnectionMonitor.events(isEncrypted: encryption != nil), at: address)
        return try InprocEndpoint(ZMQ_PAIR, named: name, in: context) { (handle) throws(ZeroMQError) in
            try handle.connect(to: address)
        } onMessage: { event in
            monitor.handle(event)
            return nil
        } onEmpty: {
            monitor.makeRoomForNewConnections()
        }
    }
}
