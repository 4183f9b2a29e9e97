internal import CZMQ
internal import Glibc
internal import Locking

/// What becomes of a socket's connections, as zmq_socket_monitor(3) tells it.
///
/// It counts them, cuts those that are too many, and tells whose handshake failed. libzmq has one thread for all network
/// traffic, so that what it tells of one connection is told without another in between.
final class ConnectionWatch {
    /// What is listened to. A server's refusals are the doorman's to tell, who knows whom he refused.
    static func events(isServer: Bool) -> Int32 {
        ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | (isServer ? 0 : ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    }

    private let kind: SocketKind
    private let limit: Int
    private let counters: Locked<SocketCounters>
    private let onFailure: @Sendable (HandshakeFailure) -> Void
    /// The clients that are connected, by the descriptor of the connection.
    private var clients: [Int32: String] = [:]
    private var failed: HandshakeFailure.Reason?

    init(
        _ kind: SocketKind, limit: Int, counters: Locked<SocketCounters>,
        onFailure: @escaping @Sendable (HandshakeFailure) -> Void
    ) {
        self.kind = kind
        self.limit = limit
        self.counters = counters
        self.onFailure = onFailure
    }

    /// Takes an event: a frame of a 16-bit event and a 32-bit value, and one of our own address.
    func hear(_ message: Message) {
        guard let frame = message.frames.first, frame.count == 6 else { return }
        let (event, value) = frame.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt16.self), $0.loadUnaligned(fromByteOffset: 2, as: Int32.self))
        }
        switch Int32(event) {
        case ZMQ_EVENT_ACCEPTED: admit(value)
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: failed = .protocol
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: failed = failed ?? .broken
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: tell(.refused, message.text(at: 1))
        case ZMQ_EVENT_DISCONNECTED: end(value, at: message.text(at: 1))
        default: break
        }
    }

    private func admit(_ descriptor: Int32) {
        // At once, because a client that is refused is soon gone, and its address with it.
        clients[descriptor] = peerAddress(of: descriptor) ?? ""
        if clients.count > limit {
            // libzmq sees an end and closes the connection itself; there is no other way to ask it to.
            shutdown(descriptor, Int32(SHUT_RDWR))
            failed = .tooManyConnections
        }
        note()
    }

    private func end(_ descriptor: Int32, at address: String?) {
        let client = clients.removeValue(forKey: descriptor)
        note()
        guard let reason = failed else { return }
        failed = nil
        tell(reason, client.map { $0.isEmpty ? nil : $0 } ?? address)
    }

    private func tell(_ reason: HandshakeFailure.Reason, _ address: String?) {
        onFailure(HandshakeFailure(socket: kind, address: address, reason: reason, key: nil))
    }

    private func note() {
        counters.withLock { $0.connections = clients.count }
    }
}

/// The other side's numeric address, by getpeername(2) and getnameinfo(3); nil for `ipc`, or if it is gone.
private func peerAddress(of descriptor: Int32) -> String? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
            guard getpeername(descriptor, address, &size) == 0, address.pointee.sa_family != AF_UNIX else { return -1 }
            return getnameinfo(address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        }
    }
    guard status == 0 else { return nil }
    return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
