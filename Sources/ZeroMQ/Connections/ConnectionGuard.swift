internal import CZMQ
internal import Concurrency

/// What stands between a socket and its clients: it counts and bounds what libzmq does not.
///
/// It knows which connection each message came over, so that a reply goes there or nowhere, and disconnects the clients
/// that would fill the memory, keep others out, or have lost their rights. Clients without encryption are programs of this
/// machine: of these, only the number and the unread replies are bounded.
///
/// See docs/decisions/libzmq-and-strangers.md.
final class ConnectionGuard {
    /// Whether the socket is bound, so that others connect to it.
    let isServer: Bool
    /// The bytes that a router's clients have not read; nil for other sockets.
    let unreadBytes: UnreadBytes?
    /// Receives libzmq's events of the connections; nil if the I/O thread does not read them.
    private(set) var events: InprocEndpoint?
    private let isEncrypted: Bool
    private let kind: SocketKind
    /// The connections; nil if they are not watched, or `publisher` watches them.
    private let connections: ConnectionMonitor?
    /// Watches the connections of an encrypted publisher on a thread of its own.
    private let publisher: PublisherMonitor?

    /// Watches the connections of a socket that is not bound yet.
    init(
        _ handle: borrowing SocketHandle, named name: String, _ kind: SocketKind, isServer: Bool, isLocal: Bool,
        isEncrypted: Bool, options: SocketOptions, counters: Locked<SocketCounters>, observer: Observer,
        context: Context
    ) throws(ZeroMQError) {
        self.kind = kind
        self.isServer = isServer
        self.isEncrypted = isEncrypted
        let unreadBytes = kind == .router ? UnreadBytes() : nil
        self.unreadBytes = unreadBytes
        guard isServer || isEncrypted else {
            (connections, publisher) = (nil, nil)
            return
        }
        let monitor = ConnectionMonitor(
            kind, isServer: isServer, isLocal: isLocal, isEncrypted: isEncrypted, options: options,
            unreadBytes: unreadBytes, counters: counters, observer: observer)
        let address = "inproc://\(name)"
        try handle.monitor(ConnectionMonitor.events(isEncrypted: isEncrypted), at: address)
        let events = try InprocEndpoint(ZMQ_PAIR, named: name, in: context) { (handle) throws(ZeroMQError) in
            try handle.connect(to: address)
        } onMessage: { event in
            monitor.handle(event)
            return nil
        } onEmpty: {
            monitor.makeRoomForNewConnections()
        }
        guard isServer, isEncrypted, kind == .publisher else {
            (connections, publisher, self.events) = (monitor, nil, events)
            return
        }
        connections = nil
        do { publisher = try PublisherMonitor(monitor, events: events) } catch {
            throw ZeroMQError("watch", name, code: error.code)
        }
    }

    deinit {
        publisher?.close()
    }

    /// Ends the watching; the socket must be closed afterwards.
    func close(_ handle: borrowing SocketHandle) {
        // Before its endpoint is closed, because libzmq would block forever on an event that no socket reads.
        handle.endMonitor()
        events = nil
        publisher?.close()
    }

    /// Whether messages are to carry the identity of their client.
    var identifiesPeers: Bool { isServer && (isEncrypted || kind != .publisher) }

    // MARK: - Messages

    /// Records that the I/O thread begins to use the socket.
    func beginWork() {
        publisher?.beginWork()
    }

    /// Records that the I/O thread has read the socket until it was empty.
    func endWork() {
        publisher?.endWork()
    }

    /// Handles the events that have arrived, before messages are received or sent.
    func handleEvents() {
        events?.poll()
    }

    /// Writes into received messages which connection each came over, and removes those that may not be delivered.
    ///
    /// - Parameters:
    ///   - messages: The messages; a publisher's are subscriptions.
    ///   - descriptors: The descriptor of the connection of each message.
    ///   - begin: When the socket began to be read.
    ///   - isDrained: Whether the socket had no further message.
    func admit(
        _ messages: inout [Message], over descriptors: [Int32], readSince begin: ContinuousClock.Instant,
        isDrained: Bool
    ) {
        publisher?.record(messages, over: descriptors, readSince: begin, isDrained: isDrained)
        guard isServer, kind != .publisher, let connections else { return }
        // Without encryption a client is admitted by libzmq's thread, before this one knows its connection.
        if !isEncrypted { events?.poll() }
        var admitted: [Message] = []
        for (message, descriptor) in zip(messages, descriptors) {
            if let message = connections.attribute(message, over: descriptor) { admitted.append(message) }
        }
        messages = admitted
        if isDrained { connections.recordEmptySocket(readSince: begin) }
    }

    /// Records that a message was received over the connection with the descriptor, and discarded.
    func recordDiscardedMessage(over descriptor: Int32) {
        connections?.recordDiscardedMessage(over: descriptor)
    }

    /// Whether a reply can still go over its connection; true for a message that names none.
    func canSend(_ message: Message) -> Bool {
        message.connection.map { connections?.isOpen($0) != false } ?? true
    }

    // MARK: - Connections

    /// Whether a connection has ended since every message was received; then the socket is to be read.
    var hasEndedConnections: Bool { connections?.hasEndedConnections == true }

    /// When the connections are to be looked at again; nil if there is no reason to.
    var nextScan: ContinuousClock.Instant? { connections?.nextScan }

    /// Looks at the connections if it is time and every message that was complete the last time has been received.
    ///
    /// - Parameter isRead: Whether the socket was read until it was empty.
    func scanIfDue(at now: ContinuousClock.Instant, isRead: Bool) {
        guard let connections, let nextScan, nextScan <= now, isRead || connections.hasReceivedBacklog else { return }
        connections.scan(at: now)
    }

    /// Disconnects the clients whose key has one of these names, and those whose key is not known.
    func disconnect(keys: Set<String>) {
        events?.poll()
        connections?.disconnect(keys: keys)
        publisher?.disconnect(keys: keys)
    }
}
