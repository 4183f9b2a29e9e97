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
    /// The callbacks for failed and dropped connections; they run on the I/O thread.
    struct Observer: Sendable {
        let onFailure: @Sendable (HandshakeFailure) -> Void
        let onDrop: @Sendable (DroppedConnection) -> Void
    }

    let isServer: Bool
    private let isEncrypted: Bool
    private let kind: SocketKind
    private(set) var events: InprocEndpoint?
    /// The connections; nil if they are not watched, or `publisher` watches them.
    private(set) var monitor: ConnectionMonitor?
    private(set) var publisher: PublisherMonitor?

    init(
        _ handle: borrowing SocketHandle, _ socket: SharedSocketState, isServer: Bool, isLocal: Bool,
        isEncrypted: Bool, observer: Observer, context: Context
    ) throws(ZeroMQError) {
        kind = socket.kind
        self.isServer = isServer
        self.isEncrypted = isEncrypted
        guard isServer || isEncrypted else { return }
        let monitor = ConnectionMonitor(
            socket, isServer: isServer, isLocal: isLocal, isEncrypted: isEncrypted, observer: observer)
        let address = "inproc://monitor-\(socket.id)"
        try handle.monitor(monitor.events, at: address)
        let events = try InprocEndpoint(ZMQ_PAIR, at: address, in: context) { event in
            monitor.handle(event)
            return nil
        } onEmpty: {
            monitor.makeRoomForNewConnections()
        }
        if isServer, isEncrypted, kind == .publisher {
            do { publisher = try PublisherMonitor(monitor, events: events) } catch {
                throw ZeroMQError("watch", address, code: error.code)
            }
        } else {
            (self.monitor, self.events) = (monitor, events)
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

    var identifiesPeers: Bool { isServer && (isEncrypted || kind != .publisher) }

    // MARK: - Messages

    /// Writes into received messages which connection each came over, and removes those that may not be delivered.
    func admit(
        _ messages: inout [Message], over descriptors: [Int32], readSince begin: ContinuousClock.Instant,
        isDrained: Bool
    ) {
        publisher?.record(messages, over: descriptors, readSince: begin, isDrained: isDrained)
        guard isServer, kind != .publisher, let monitor else { return }
        // Without encryption a client is admitted by libzmq's thread, before this one knows its connection.
        if !isEncrypted { events?.poll() }
        var admitted: [Message] = []
        for (message, descriptor) in zip(messages, descriptors) {
            if let message = monitor.attribute(message, over: descriptor) { admitted.append(message) }
        }
        messages = admitted
        if isDrained { monitor.recordEmptySocket(readSince: begin) }
    }

    /// Whether a reply can still go over its connection; true for a message that names none.
    func canSend(_ message: Message) -> Bool {
        message.connection.map { monitor?.isOpen($0) != false } ?? true
    }

    // MARK: - Connections

    func disconnect(keys: Set<String>) {
        events?.poll()
        monitor?.disconnect(keys: keys)
        publisher?.disconnect(keys: keys)
    }
}

/// Counts, for each connection of a router, the bytes of the messages that the client has not read.
///
/// libzmq counts only messages, and does not report them. Each message therefore holds a reservation from when it is
/// queued until libzmq releases its last frame: to the kernel, or because the connection is gone.
final class UnreadBytes: Sendable {
    private struct State {
        /// The bytes of each connection, with the name of its key; without encryption there is none.
        var entries: [ConnectionID: (key: String?, bytes: Int)] = [:]
        var total = 0
    }

    private let state = Locked(State())

    var total: Int { state.withLock(\.total) }

    func bytes(of connection: ConnectionID) -> Int {
        state.withLock { $0.entries[connection]?.bytes ?? 0 }
    }

    func bytes(ofKey key: String) -> Int {
        state.withLock { $0.entries.values.reduce(0) { $0 + ($1.key == key ? $1.bytes : 0) } }
    }

    func reserve(for message: Message) -> Message {
        var message = message
        message.reservation = Reservation(for: message, in: self)
        return message
    }

    private func add(_ bytes: Int, for connection: ConnectionID, _ key: String?) {
        state.withLock { state in
            state.total += bytes
            let sum = (state.entries[connection]?.bytes ?? 0) + bytes
            state.entries[connection] = sum == 0 ? nil : (key, sum)
        }
    }

    final class Reservation: Sendable {
        private let bytes: Int
        private let connection: ConnectionID
        private let key: String?
        private let accounting: UnreadBytes

        fileprivate init(for message: Message, in accounting: UnreadBytes) {
            bytes = message.footprint
            connection = message.connection ?? .none
            key = message.peer?.name
            self.accounting = accounting
            accounting.add(bytes, for: connection, key)
        }

        deinit {
            accounting.add(-bytes, for: connection, key)
        }
    }
}

/// A connection that failed before its first message.
public struct HandshakeFailure: Sendable, Hashable {
    /// Why a connection failed; the raw value is the code for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The client's key is not one of those that are admitted.
        case unknownKey
        case missingRole
        /// The server that this program connects to has refused it.
        case refused
        /// Too many clients are connected, or connect; see `SocketOptions.maximumConnections`.
        case tooManyConnections
        /// The peer does not speak ZeroMQ as this socket does: another program, no encryption, or another server's key.
        case `protocol`
        /// The client has sent a message by ZMTP 1.0 or 2.0, which ZeroMQ before 4.0 speaks.
        case version
        case broken
    }

    /// The kind of socket that was connected to, or that connected.
    public let socket: SocketKind
    /// The address of the client, or of the server that was connected to; nil if it was gone too soon.
    public let address: String?
    /// Why the connection failed.
    public let reason: Reason
    /// The client's key, if the handshake came as far as that.
    public let key: PublicKey?
}

/// A client that was disconnected because it exceeded a limit or lost its rights.
public struct DroppedConnection: Sendable, Hashable {
    /// Why a client was disconnected; the raw value is the code for logs and metrics.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case endless
        /// It had the most unread bytes of all clients when there was no more room for them.
        case unread
        /// It has too many subscriptions, or had the most of all clients when there was no more room for them.
        case subscriptions
        /// Its key has `SocketOptions.maximumConnectionsPerKey` connections already.
        case crowded
        /// It was connected to a router for `SocketOptions.firstMessage` and sent no message, or the router did not deliver
        /// any, because another connection has its routing id.
        case silent
        /// Its key is not admitted any more, or was not known when another key was withdrawn.
        case revoked
    }

    /// The kind of socket that the client was connected to.
    public let socket: SocketKind
    /// The address of the client; nil for `ipc`.
    public let address: String?
    /// Why the client was disconnected.
    public let reason: Reason
}
