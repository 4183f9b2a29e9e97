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
        let handle = try SocketHandle.open(kind.type, named: subject, settings: settings, context: context.pointer)
        let counters = Locked(SocketCounters())
        lastID += 1
        let id = lastID
        let connections = try ConnectionGuard(
            handle, named: "monitor-\(id)", kind, isServer: !bind.isEmpty,
            isLocal: bind.allSatisfy { $0.hasPrefix("inproc:") }, isEncrypted: encryption != nil, options: options,
            counters: counters, observer: observer, context: context)
        var addresses: [String] = []
        for address in bind { addresses.append(try handle.bind(to: address)) }
        for address in connect {
            try handle.connect(to: address)
            addresses.append(address)
        }

        let shared = SharedSocketState(
            receiveQueue: ReceiveQueue(limit: options.receiveQueueBytes),
            sendQueue: SendQueue(
                limit: options.sendQueueLimit, unreadBytes: connections.unreadBytes,
                scheduleSend: makeSendScheduler(for: id)),
            unreadBytes: connections.unreadBytes, counters: counters)
        sockets[id] = PolledSocket(handle, connections: connections, kind: kind, options: options, shared: shared)
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
}
