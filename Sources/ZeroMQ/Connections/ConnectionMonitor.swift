internal import CZMQ
internal import Concurrency

/// The connections of one socket, known from the events of zmq_socket_monitor(3).
///
/// It counts the connections, drops those that are too many or would fill the memory, and reports failed handshakes. libzmq
/// handles all network traffic on one thread, so the events of one connection arrive without those of another in between.
///
/// Without encryption it counts the connections, and drops those that are too many and those of a router that say nothing
/// or do not read; all other bounds are for encrypted clients.
final class ConnectionMonitor {
    /// The limits of the time between two scans of the connections.
    static let scanIntervals = Duration.milliseconds(100)...Duration.seconds(1)
    /// A scan may take one part in this many of the thread's time.
    private static let scanShare = 50

    /// The undelivered bytes up to which a publisher's client is never disconnected: a handshake and some subscriptions.
    private static let firstBytes = 2 << 10

    /// The least that a CURVE client sends before it can be admitted or refused, in bytes: greeting, HELLO and INITIATE.
    private static let handshakeBytes = 64 + 202 + 266
    /// The number of token buckets kept, a bound because clients choose their addresses.
    private static let bucketLimit = 10_000

    private let socket: SharedSocketState
    private let observer: ConnectionGuard.Observer
    private let isServer: Bool
    /// Whether all clients are in this process, and have no connection.
    private let isLocal: Bool
    private let isEncrypted: Bool
    private(set) var connections: [Int32: PeerConnection] = [:]
    /// The encrypted connections whose handshake is under way, by their descriptors, oldest first.
    private var handshakes: [Int32] = []
    /// The connections whose places are not checked yet, because more events may be there; some may have ended.
    private var newConnections: [PeerConnection] = []
    /// The connections of each address that have not greeted, oldest first.
    private var pending: [String: [PeerConnection]] = [:]
    private var buckets: [String: TokenBucket] = [:]
    private let start = ContinuousClock.now
    private var lastNumber: UInt64 = 0
    /// The descriptors of connections that have ended since every message was received, and when: messages over them may be
    /// those of the earlier connection. Empty without encryption.
    private var endedDescriptors: [Int32: ContinuousClock.Instant] = [:]
    private var subscribedBytes = 0
    /// The undelivered bytes of a publisher's clients that were disconnected since the socket was empty.
    private var endedBytes = 0
    /// Whether a client was disconnected since this was last set to false.
    var hasDropped = false
    /// The reason of the failure whose connection libzmq reports next as disconnected.
    private var failure: HandshakeFailure.Reason?

    private(set) var lastScan = ContinuousClock.now
    private var scanInterval = scanIntervals.lowerBound
    /// The number of messages that may have been complete at the last scan and have not been received since.
    private var backlog = 0

    init(
        _ socket: SharedSocketState, isServer: Bool, isLocal: Bool, isEncrypted: Bool,
        observer: ConnectionGuard.Observer
    ) {
        self.socket = socket
        self.isServer = isServer
        self.isLocal = isLocal
        self.isEncrypted = isEncrypted
        self.observer = observer
    }

    private var kind: SocketKind { socket.kind }
    private var options: SocketOptions { socket.options }

    // MARK: - Events

    /// The events to subscribe to. The ZAP handler reports the clients that a server refuses, with their keys.
    var events: Int32 {
        let common = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        guard isEncrypted else { return common | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL }
        // Never ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: when libzmq reports an encrypted message that it cannot open, it
        // forgets the error, keeps the connection, and aborts the process once the peer has left.
        return common | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    /// Handles an event: a frame with a 16-bit event and a 32-bit value, and a frame with the endpoint's address. It
    /// disconnects nobody: `makeRoomForNewConnections()` does.
    func handle(_ message: Message) {
        guard let frame = message.frames.first, frame.count == 6 else { return }
        let (event, value) = frame.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt16.self), $0.loadUnaligned(fromByteOffset: 2, as: Int32.self))
        }
        switch Int32(event) {
        case ZMQ_EVENT_ACCEPTED: addConnection(value, at: message.text(at: 1))
        case ZMQ_EVENT_CONNECTED: handshakes.append(value)
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: endHandshake()
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: failure = .protocol
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: failure = failure ?? .broken
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            endHandshake()
            if !isServer { reportFailure(.refused, message.text(at: 1)) }
        case ZMQ_EVENT_DISCONNECTED: removeConnection(value, at: message.text(at: 1))
        default: break
        }
    }

    private func addConnection(_ descriptor: Int32, at endpoint: String?) {
        lastNumber += 1
        // At once, because a refused client is soon gone, and its address with it.
        let connection = PeerConnection(descriptor, number: lastNumber, at: endpoint)
        connections[descriptor] = connection
        if isEncrypted { handshakes.append(descriptor) }
        newConnections.append(connection)
        updateConnectionCount()
    }

    private func endHandshake() {
        // libzmq does not say which one. Any client that is still connected and has sent enough for a handshake will do:
        // its own end has been reported or is about to be.
        let index = handshakes.firstIndex { !isServer || connections[$0]?.received ?? .max >= Self.handshakeBytes }
        if let index { handshakes.remove(at: index) }
    }

    private func removeConnection(_ descriptor: Int32, at address: String?) {
        let connection = connections.removeValue(forKey: descriptor)
        if let connection {
            socket.counters.withLock { $0.disconnections += 1 }
            if isEncrypted { endedDescriptors[descriptor] = .now }
            removePending(connection)
            subscribedBytes -= connection.subscribedBytes
        }
        updateConnectionCount()
        let index = handshakes.firstIndex(of: descriptor)
        if let index { handshakes.remove(at: index) }
        guard let reason = connection?.failure ?? failure ?? (index == nil ? nil : .protocol) else { return }
        failure = nil
        reportFailure(reason, connection?.address ?? address)
    }

    private func reportFailure(_ reason: HandshakeFailure.Reason, _ address: String?) {
        observer.onFailure(HandshakeFailure(socket: kind, address: address, reason: reason, key: nil))
    }

    private func updateConnectionCount() {
        socket.counters.withLock { $0.connections = connections.count }
    }

    // MARK: - Places

    /// Gives the new connections their places; called when no event is left.
    ///
    /// When an event was read, a later client may have had the descriptor: then the cookie is the later one's. But libzmq
    /// reports the end of a connection before it closes the descriptor, so every such connection has been removed by now.
    func makeRoomForNewConnections() {
        newConnections = newConnections.reversed().filter { connections[$0.id.descriptor] === $0 }
        while let connection = newConnections.popLast() { makeRoom(for: connection) }
    }

    /// Disconnects a client if there are too many: the oldest that has not greeted, so that strangers who connect and say
    /// nothing keep nobody out.
    private func makeRoom(for connection: PeerConnection) {
        if isEncrypted {
            let address = connection.address ?? ""
            pending[address, default: []].append(connection)
            // A handshake costs processor time.
            if !takeToken(of: address) { return refuse(connection) }
            if pending[address, default: []].count > options.maximumPendingConnections {
                removeGreeted(at: address)
                if let first = pending[address], first.count > options.maximumPendingConnections { refuse(first[0]) }
            }
        }
        guard connections.count - newConnections.count > options.maximumConnections else { return }
        for address in pending.keys { removeGreeted(at: address) }
        refuse(pending.values.compactMap(\.first).min { $0.id.number < $1.id.number } ?? connection)
    }

    private func refuse(_ connection: PeerConnection) {
        removePending(connection)
        connection.failure = .tooManyConnections
        connection.shutDown()
    }

    private func takeToken(of address: String) -> Bool {
        let now = ContinuousClock.now - start
        let rate = Double(options.newConnectionsPerSecond)
        if buckets.count >= Self.bucketLimit, buckets[address] == nil { buckets = [:] }
        let full = TokenBucket(capacity: 2 * rate, refillPerSecond: rate, at: now)
        return buckets[address, default: full].takeToken(at: now)
    }

    /// Removes the clients of an address that have greeted from those that are pending. A router's are removed by their
    /// first message.
    private func removeGreeted(at address: String) {
        guard kind != .router else { return }
        pending[address]?.removeAll { $0.received ?? .max >= Self.handshakeBytes }
        if pending[address]?.isEmpty == true { pending[address] = nil }
    }

    private func removePending(_ connection: PeerConnection) {
        let address = connection.address ?? ""
        guard let index = pending[address]?.firstIndex(where: { $0 === connection }) else { return }
        pending[address]?.remove(at: index)
        if pending[address]?.isEmpty == true { pending[address] = nil }
    }

    func disconnect(keys: Set<String>) {
        for connection in connections.values where connection.name.map(keys.contains) ?? true {
            drop(connection, .revoked)
        }
    }

    // MARK: - Messages

    /// Returns a received message with the connection over which it came; nil if it must be discarded.
    ///
    /// All events must have been handled: with encryption before the message was read, because a client is admitted by
    /// this thread, which has then seen its connection; without encryption after it was read.
    /// The descriptor is negative with `inproc`, and for a client of ZMTP 1.0 or 2.0.
    func attribute(_ received: Message, over descriptor: Int32) -> Message? {
        backlog -= 1
        var message = received
        guard descriptor >= 0 else {
            if isLocal { return message }
            // libzmq does not say over which connection it came, so no limit would hold for that client.
            message.truncation = message.truncation ?? .oldPeer
            if kind == .router { return message }
            reportFailure(.version, nil)
            return nil
        }
        message.connection = ConnectionID.none
        guard let connection = connections[descriptor] else { return message }
        connection.hasReceivedMessage = true
        guard endedDescriptors[descriptor] == nil else { return message }
        if !connection.hasGreeted, !greet(connection, message) { return nil }
        if connection.name == message.peer?.name || message.peer == nil { message.connection = connection.id }
        return message
    }

    func recordDiscardedMessage(over descriptor: Int32) {
        connections[descriptor]?.hasReceivedMessage = true
        backlog -= 1
    }

    /// Records that the socket was read until it was empty: every message of the connections whose end was known when the
    /// reading began has been received, and libzmq keeps nothing of them.
    func recordEmptySocket(readSince begin: ContinuousClock.Instant) {
        endedBytes = 0
        if !endedDescriptors.isEmpty { endedDescriptors = endedDescriptors.filter { $0.value >= begin } }
    }

    /// Whether a connection has ended since every message was received; then the socket is to be read.
    var hasEndedConnections: Bool { !endedDescriptors.isEmpty }

    /// Whether a message can still go over a connection. All events must have been handled since the socket was last read:
    /// libzmq gives a routing id to another connection only while the socket is read, and reports the end before.
    func isOpen(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id.descriptor] else { return false }
        return connection.id == id && !connection.isClosed
    }

    /// Handles the first message of a connection; returns false if the connection may not be used.
    private func greet(_ connection: PeerConnection, _ message: Message) -> Bool {
        // A truncated message has no peer; the next one says who it is.
        guard !isEncrypted || message.peer != nil else { return true }
        removePending(connection)
        connection.hasGreeted = true
        connection.name = message.peer?.name
        let limit = options.maximumConnectionsPerKey
        guard let name = connection.name, connections.values.count(where: { $0.name == name }) > limit else {
            return true
        }
        drop(connection, .crowded)
        return false
    }

    // MARK: - Subscriptions

    /// Counts a message that a publisher has delivered, a byte 1 (subscribe) or 0 (unsubscribe) and the prefix, and
    /// disconnects the client if it has too many subscriptions.
    ///
    /// While it may be an earlier connection's, the one that has the descriptor is charged with all that it has sent itself.
    func recordSubscription(_ message: Message, over descriptor: Int32) {
        backlog -= 1
        // libzmq itself ends the subscriptions of a connection that has ended, over no connection.
        guard let connection = connections[descriptor], !connection.isClosed else { return }
        connection.hasReceivedMessage = true
        let isAmbiguous = endedDescriptors[descriptor] != nil
        if !isAmbiguous, !connection.hasGreeted, !greet(connection, message) { return }
        guard message.frames.count == 1, let verb = message.frames[0].first, verb <= 1 else { return }
        let prefix = Array(message.frames[0].dropFirst())
        let isForeign = !options.isTopicPrefix(prefix)
        subscribedBytes -= connection.subscribedBytes
        if isAmbiguous, let received = connection.received {
            connection.subscribedBytes = max(connection.subscribedBytes, received - Self.handshakeBytes)
        } else {
            connection.changeSubscription(prefix, isAdded: verb == 1, isForeign: isForeign)
        }
        subscribedBytes += connection.subscribedBytes
        if connection.subscriptions.count > options.maximumSubscriptions
            || connection.foreignSubscriptionCount > options.maximumForeignSubscriptions
        {
            drop(connection, .subscriptions)
        }
        if subscribedBytes > options.subscriptionBytes {
            dropLargest(.subscriptions, over: options.subscriptionBytes, by: \.subscribedBytes)
        }
    }

    /// Measures what a publisher's clients have sent since their last delivered subscription, and if all together have sent
    /// too much, drops those that have sent most.
    func dropUndelivered() {
        for connection in connections.values { connection.measure() }
        let open = connections.values.filter { !$0.isClosed && $0.undeliveredBytes > Self.firstBytes }
        var excess = open.reduce(endedBytes - options.undeliveredBytes) { $0 + $1.undeliveredBytes }
        for connection in open.sorted(by: { $0.undeliveredBytes > $1.undeliveredBytes }) where excess > 0 {
            // What was sent is in the tree until the socket is empty, so every client that goes on sending is dropped.
            endedBytes += connection.undeliveredBytes
            excess -= connection.undeliveredBytes
            drop(connection, .subscriptions)
        }
    }

    // MARK: - Scans

    var nextScan: ContinuousClock.Instant? {
        connections.isEmpty || (!isEncrypted && kind != .router) ? nil : lastScan + scanInterval
    }

    /// Whether every message that was complete at the last scan has been received.
    ///
    /// libzmq receives from its connections in turn, so this takes at most one message of each.
    var hasReceivedBacklog: Bool { backlog <= 0 }

    func scan(at now: ContinuousClock.Instant) {
        for connection in connections.values { connection.scan(at: now) }
        scanInterval = max(
            Self.scanIntervals.lowerBound,
            min((ContinuousClock.now - now) * Self.scanShare, Self.scanIntervals.upperBound))
        lastScan = now
        backlog = connections.count
        if kind == .router {
            for connection in connections.values where !connection.hasGreeted && !connection.isClosed {
                if connection.silence > options.firstMessage { drop(connection, .silent) }
            }
        }
        if let unreadBytes = socket.unreadBytes, unreadBytes.total > options.unreadBytes {
            dropLargest(.unread, over: options.unreadBytes) { unreadBytes.bytes(of: $0.id) }
        }
        guard isEncrypted else { return }
        guard kind != .publisher else { return dropUndelivered() }
        for connection in connections.values where connection.incompleteBytes > options.maximumMessageBytes {
            drop(connection, .endless)
        }
        dropLargest(.endless, over: options.incompleteBytes) { $0.incompleteBytes }
    }

    private func dropLargest(_ reason: DroppedConnection.Reason, over limit: Int, by size: (PeerConnection) -> Int) {
        let connections = connections.values.filter { !$0.isClosed }
        var excess = connections.reduce(-limit) { $0 + size($1) }
        guard excess > 0 else { return }
        for connection in connections.sorted(by: { size($0) > size($1) }) where excess > 0 {
            excess -= size(connection)
            drop(connection, reason)
        }
    }

    private func drop(_ connection: PeerConnection, _ reason: DroppedConnection.Reason) {
        guard !connection.isClosed, connection.shutDown(discardingReceived: kind == .publisher) else { return }
        hasDropped = true
        observer.onDrop(DroppedConnection(socket: kind, address: connection.address, reason: reason))
    }
}
