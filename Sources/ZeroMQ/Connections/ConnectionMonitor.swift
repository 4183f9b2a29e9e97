internal import CZMQ
internal import Concurrency

/// The connections of one socket, known from the events of zmq_socket_monitor(3).
///
/// It counts the connections, drops those that are too many or would fill the memory, and reports failed handshakes. libzmq
/// handles all network traffic on one thread, so the events of one connection arrive without those of another in between.
///
/// See docs/decisions/0043-memory-held-by-libzmq.md.
final class ConnectionMonitor {
    /// The limits of the time between two scans of the connections.
    ///
    /// What a client sends between two scans comes on top of what it may send.
    static let scanIntervals = Duration.milliseconds(100)...Duration.seconds(1)
    /// A scan may take one part in this many of the thread's time.
    private static let scanShare = 50

    /// The least that a CURVE client sends before it can be admitted or refused, in bytes: greeting, HELLO and INITIATE.
    private static let handshakeBytes = 64 + 202 + 266

    private let kind: SocketKind
    private let options: SocketOptions
    private let unreadBytes: UnreadByteAccounting?
    private let observer: ConnectionObserver
    private let isServer: Bool
    private let isEncrypted: Bool
    private let counters: Locked<SocketCounters>
    /// The connected clients, by the descriptor of the connection.
    private var connections: [Int32: PeerConnection] = [:]
    /// The encrypted connections whose handshake is under way, by their descriptors, oldest first.
    private var handshakes: [Int32] = []
    /// The reason of the failure whose connection libzmq reports next as disconnected.
    private var failure: HandshakeFailure.Reason?

    /// The time of the last scan.
    private(set) var lastScan = MonotonicTime.now
    private var scanInterval = scanIntervals.lowerBound
    /// The number of messages that may have been complete at the last scan and have not been received since.
    private var backlog = 0

    init(
        _ kind: SocketKind, isServer: Bool, isEncrypted: Bool, options: SocketOptions,
        unreadBytes: UnreadByteAccounting?, counters: Locked<SocketCounters>, observer: ConnectionObserver
    ) {
        self.kind = kind
        self.isServer = isServer
        self.isEncrypted = isEncrypted
        self.options = options
        self.unreadBytes = unreadBytes
        self.counters = counters
        self.observer = observer
    }

    // MARK: - Events

    /// Returns the events to subscribe to. The ZAP handler reports the clients that a server refuses, with their keys.
    ///
    /// See docs/decisions/0037-handshake-failure-detection.md.
    static func events(isEncrypted: Bool) -> Int32 {
        let common = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        guard isEncrypted else { return common | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL }
        // Never ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: when libzmq reports an encrypted message that it cannot open, it
        // forgets the error, keeps the connection, and aborts the process once the peer has left.
        return common | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    /// Handles an event: a frame with a 16-bit event and a 32-bit value, and a frame with the endpoint's address.
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
        // At once, because a refused client is soon gone, and its address with it.
        let connection = PeerConnection(descriptor, at: endpoint)
        connections[descriptor] = connection
        if connections.count > options.maximumConnections {
            connection.shutDown()
            failure = .tooManyConnections
        }
        if isEncrypted { handshakes.append(descriptor) }
        updateConnectionCount()
    }

    /// Removes the handshake that has ended.
    private func endHandshake() {
        // libzmq does not say which one. Any client that is still connected and has sent enough for a handshake will do:
        // its own end has been reported or is about to be.
        let index = handshakes.firstIndex { !isServer || connections[$0]?.received ?? .max >= Self.handshakeBytes }
        if let index { handshakes.remove(at: index) }
    }

    private func removeConnection(_ descriptor: Int32, at address: String?) {
        let connection = connections.removeValue(forKey: descriptor)
        if connection != nil { counters.withLock { $0.disconnections += 1 } }
        updateConnectionCount()
        let index = handshakes.firstIndex(of: descriptor)
        if let index { handshakes.remove(at: index) }
        guard let reason = failure ?? (index == nil ? nil : .protocol) else { return }
        failure = nil
        reportFailure(reason, connection?.address ?? address)
    }

    private func reportFailure(_ reason: HandshakeFailure.Reason, _ address: String?) {
        observer.onFailure(HandshakeFailure(socket: kind, address: address, reason: reason, key: nil))
    }

    private func updateConnectionCount() {
        counters.withLock { $0.connections = connections.count }
    }

    // MARK: - Scans

    /// The time of the next scan; nil if there are no connections.
    var nextScan: MonotonicTime? { connections.isEmpty ? nil : lastScan + scanInterval }

    /// Whether every message that was complete at the last scan has been received.
    ///
    /// libzmq receives from its connections in turn, so this takes at most one message of each.
    var hasReceivedBacklog: Bool { backlog <= 0 }

    /// Records that a message was received over the connection with the descriptor; `route` is its routing id at a router.
    func recordMessage(over descriptor: Int32, route: [UInt8]?) {
        connections[descriptor]?.recordMessage(route: route)
        backlog -= 1
    }

    /// Measures all connections, and drops those with too long an incomplete message or too many unread bytes.
    func scan(at now: MonotonicTime) {
        for connection in connections.values { connection.scan(after: now - lastScan) }
        scanInterval = max(
            Self.scanIntervals.lowerBound, min((.now - now) * Self.scanShare, Self.scanIntervals.upperBound))
        lastScan = now
        backlog = connections.count
        for connection in connections.values where connection.incompleteBytes > options.maximumMessageBytes {
            drop(connection, .endless)
        }
        dropLargest(.endless, over: options.incompleteBytes) { $0.incompleteBytes }
        guard let unreadBytes, unreadBytes.total > options.unreadBytes else { return }
        dropLargest(.unread, over: options.unreadBytes) { unreadBytes.bytes(of: $0.route) }
    }

    /// Drops the largest connections until the sum of all sizes is within the limit.
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
        guard !connection.isClosed, connection.shutDown() else { return }
        observer.onDrop(DroppedConnection(socket: kind, address: connection.address, reason: reason))
    }
}
