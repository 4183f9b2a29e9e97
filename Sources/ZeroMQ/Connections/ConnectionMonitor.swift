internal import CZMQ
internal import Concurrency

/// What becomes of a socket's connections, as zmq_socket_monitor(3) tells it.
///
/// It counts them, cuts those that are too many or would fill the memory, and tells whose handshake failed. libzmq has one
/// thread for all network traffic, so that what it tells of one connection is told without another in between.
///
/// See docs/decisions/0043-memory-held-by-libzmq.md.
final class ConnectionMonitor {
    /// What is listened to. A server's refusals are the doorman's to tell, who knows whom he refused.
    ///
    /// With encryption never ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: to tell it of an encrypted message that cannot be opened,
    /// libzmq forgets why it could not, keeps the connection, and aborts the process once the peer has left.
    ///
    /// See docs/decisions/0037-handshake-failure-detection.md.
    static func events(isEncrypted: Bool) -> Int32 {
        let usual = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
        guard isEncrypted else { return usual | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL }
        return usual | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    }

    /// What a client of CURVE says before it can be let in or refused, at the least: a greeting, HELLO and INITIATE.
    private static let handshakeBytes = 64 + 202 + 266

    let kind: SocketKind
    let options: SocketOptions
    let unread: UnreadByteAccounting?
    let news: ConnectionObserver
    private let isServer: Bool
    private let isEncrypted: Bool
    private let counters: Locked<SocketCounters>
    /// The clients that are connected, by the descriptor of the connection.
    private(set) var connections: [Int32: PeerConnection] = [:]
    /// When they were looked at, for how long they are not looked at since, and how many messages may have been whole by then
    /// that have not been heard.
    var lastLook = Duration.uptime
    var pause = pauses.lowerBound
    var unheard = 0
    /// The encrypted connections whose handshake is under way, by their descriptors, in the order of their beginnings.
    private var pending: [Int32] = []
    private var failed: HandshakeFailure.Reason?

    init(
        _ kind: SocketKind, isServer: Bool, isEncrypted: Bool, options: SocketOptions, unread: UnreadByteAccounting?,
        counters: Locked<SocketCounters>, news: ConnectionObserver
    ) {
        self.kind = kind
        self.isServer = isServer
        self.isEncrypted = isEncrypted
        self.options = options
        self.unread = unread
        self.counters = counters
        self.news = news
    }

    /// Takes an event: a frame of a 16-bit event and a 32-bit value, and one of our own address.
    func hear(_ message: Message) {
        guard let frame = message.frames.first, frame.count == 6 else { return }
        let (event, value) = frame.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt16.self), $0.loadUnaligned(fromByteOffset: 2, as: Int32.self))
        }
        switch Int32(event) {
        case ZMQ_EVENT_ACCEPTED: admit(value, at: message.text(at: 1))
        case ZMQ_EVENT_CONNECTED: pending.append(value)
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: settle()
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: failed = .protocol
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: failed = failed ?? .broken
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            settle()
            if !isServer { tell(.refused, message.text(at: 1)) }
        case ZMQ_EVENT_DISCONNECTED: end(value, at: message.text(at: 1))
        default: break
        }
    }

    private func admit(_ descriptor: Int32, at endpoint: String?) {
        // At once, because a client that is refused is soon gone, and its address with it.
        let connection = PeerConnection(descriptor, at: endpoint)
        connections[descriptor] = connection
        if connections.count > options.maximumConnections {
            connection.cut()
            failed = .tooManyConnections
        }
        if isEncrypted { pending.append(descriptor) }
        note()
    }

    /// A handshake has come to its end; whose, libzmq does not say. Whoever has said enough for one, and is still here, is
    /// about to be settled or was.
    private func settle() {
        let place = pending.firstIndex { !isServer || connections[$0]?.received ?? .max >= Self.handshakeBytes }
        if let place { pending.remove(at: place) }
    }

    private func end(_ descriptor: Int32, at address: String?) {
        let connection = connections.removeValue(forKey: descriptor)
        if connection != nil { counters.withLock { $0.disconnections += 1 } }
        note()
        let place = pending.firstIndex(of: descriptor)
        if let place { pending.remove(at: place) }
        guard let reason = failed ?? (place == nil ? nil : .protocol) else { return }
        failed = nil
        tell(reason, connection?.address ?? address)
    }

    private func tell(_ reason: HandshakeFailure.Reason, _ address: String?) {
        news.failed(HandshakeFailure(socket: kind, address: address, reason: reason, key: nil))
    }

    private func note() {
        counters.withLock { $0.connections = connections.count }
    }
}
