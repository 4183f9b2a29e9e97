internal import CZMQ
internal import Concurrency

/// The limits and times of a socket.
///
/// Without encryption, clients are programs of this machine: the bounds on their greetings, on incomplete messages and on
/// subscriptions do not hold for them.
///
/// The libzmq options that are not here are the same for every socket of the project; see `settings(for:isBound:isEncrypted:)`.
public struct SocketOptions: Sendable {
    /// The number of outgoing messages that libzmq holds per peer.
    ///
    /// Ten times libzmq's default, because a publisher drops messages above it and a year of history is sent in one burst.
    /// Subscribers share the memory of a message that they have not read yet.
    public var sendHighWater = 10_000
    /// The bytes of received messages that wait in `Socket.incoming`; further messages are rejected.
    public var receiveQueueBytes = 16 << 20
    /// The number of messages that wait for the I/O thread or a slow peer; then `send` waits and `post` returns messages.
    public var sendQueueLimit = 10_000
    /// The largest frame that a peer may send, in bytes; a larger one closes the peer's connection.
    public var maximumFrameBytes = 1 << 20
    /// The most frames that a message may have, including the routing id.
    ///
    /// A message with more is rejected; a router delivers its beginning, so that the program can reply to it.
    public var maximumFrames = 64
    /// The number of clients that may be connected to a bound socket.
    ///
    /// One more takes the place of the oldest that has not greeted, and is disconnected if there is none. A client has
    /// greeted a router when it has sent a message, and another socket when it has sent as many bytes as a handshake has.
    public var maximumConnections = 4_096
    /// The number of clients of one address that have not greeted; one more takes the place of the oldest of them.
    public var maximumPendingConnections = 256
    /// The new encrypted connections a second that one address may open on average, with twice as many at once after a
    /// pause: each costs a handshake.
    public var newConnectionsPerSecond = 1_000
    /// The number of connections of one key that have sent a message; one more is disconnected.
    public var maximumConnectionsPerKey = 64
    /// The bytes that a message may have; a client that exceeds them is disconnected.
    public var maximumMessageBytes = 2 << 20
    /// The bytes of incomplete messages that a bound socket holds for all clients; above it, the largest are disconnected.
    public var incompleteBytes = 128 << 20
    /// The bytes of unread replies that a router holds for all clients; above it, the clients with most are disconnected.
    public var unreadBytes = 256 << 20
    /// The subscriptions that one client of a publisher may have; a client with more is disconnected.
    public var maximumSubscriptions = 1_000
    /// Returns whether a topic of this publisher may begin with a prefix.
    public var isTopicPrefix: @Sendable ([UInt8]) -> Bool = { _ in true }
    /// The subscriptions that one client may have to prefixes that no topic begins with; a client with more is disconnected.
    ///
    /// Some are honest: a SUB socket that is connected to several publishers sends each of them all its subscriptions. But
    /// libzmq keeps chosen bytes at up to 180 times their size.
    public var maximumForeignSubscriptions = 100
    /// The bytes that all clients of a publisher may send before they are delivered as subscriptions; above it, the clients
    /// with most are disconnected. As many subscriptions as one client may have fit, with 160 bytes each and encryption.
    public var undeliveredBytes = 256 << 10
    /// The bytes of all clients' subscriptions to a publisher; above it, the clients with most are disconnected.
    ///
    /// It also bounds how long libzmq takes to end a connection, because it walks through all subscriptions: some 50 ms.
    public var subscriptionBytes = 512 << 10
    /// The memory that a byte of a subscription takes in libzmq's tree and in ours.
    public static let subscriptionCost = 40
    /// How long a closing socket goes on sending its queued messages.
    public var linger = Duration.milliseconds(500)
    /// The interval of the heartbeats that a connecting socket sends.
    ///
    /// Either side closes a connection over which the other has sent nothing for eight intervals. The server learns that by
    /// the first heartbeat.
    public var heartbeat = Duration.seconds(2)
    /// How long a client's machine may leave unacknowledged what a bound socket sends before the connection is closed; a
    /// publisher waits three times as long.
    public var acknowledgement = Duration.seconds(20)
    /// How long a peer's handshake may take before its connection is closed.
    public var handshake = Duration.seconds(10)
    /// How long a router waits for a client's first message before it disconnects the client.
    ///
    /// libzmq delivers nothing of a client whose routing id another connection has, not even once that connection has
    /// ended. So this is how long a client that returns with its routing id is locked out at most. A client that has
    /// nothing to ask yet connects again by itself.
    public var firstMessage = Duration.seconds(30)
    /// The routing id that a dealer announces; nil lets the router choose one, which no program of the project changes.
    var routingID: [UInt8]?

    /// Makes the options that suit most sockets.
    public init() {}
}

// MARK: - libzmq options

extension SocketOptions {
    /// Returns every libzmq option of a socket, to be set before it binds or connects.
    func settings(for kind: SocketKind, isBound: Bool, isEncrypted: Bool) -> [SocketSetting] {
        var settings = [
            // Per peer; above it the kind of socket decides: block, drop, or refuse.
            SocketSetting(ZMQ_SNDHWM, sendHighWater),
            // Unlimited, because the I/O thread reads every message and rejects what is too much. At a limit libzmq stops
            // reading a connection; if the connection breaks then, the next heartbeat aborts the process (`!_io_error` in
            // stream_engine_base.cpp, https://github.com/zeromq/libzmq/issues/4841).
            SocketSetting(ZMQ_RCVHWM, 0),
            // Never -1: zmq_ctx_term would then wait forever for an unreachable peer.
            SocketSetting(ZMQ_LINGER, linger.milliseconds),
            // Ends a connection whose machine is gone, and keeps a firewall's entry alive.
            SocketSetting(ZMQ_TCP_KEEPALIVE, 1),
            SocketSetting(ZMQ_TCP_KEEPALIVE_IDLE, 10),
            SocketSetting(ZMQ_TCP_KEEPALIVE_INTVL, 5),
            SocketSetting(ZMQ_TCP_KEEPALIVE_CNT, 2),
            // A connection without a handshake must not keep its descriptor: libzmq aborts when the process has none left.
            // But its timer goes on for a client of ZMTP 1.0 or 2.0, which has no handshake that libzmq would see end. CURVE
            // refuses these; without it clients are programs of this machine.
            SocketSetting(ZMQ_HANDSHAKE_IVL, isBound && !isEncrypted ? 0 : handshake.milliseconds),
            // Unlimited by default. A publisher receives only subscriptions, and topics are short.
            SocketSetting(ZMQ_MAXMSGSIZE, kind == .publisher ? 1024 : maximumFrameBytes),
            // All clients reconnect at once when a server restarts. The kernel lowers this to its own limit.
            SocketSetting(ZMQ_BACKLOG, 1024),
            // Fast at first, for programs that start together, then slower, for a peer that is gone.
            SocketSetting(ZMQ_RECONNECT_IVL, 100),
            SocketSetting(ZMQ_RECONNECT_IVL_MAX, 2000),
        ]
        if isBound {
            // Never heartbeats: a client of ZeroMQ 4.0 or 4.1 does not know them and takes each for a message, and libzmq
            // does not say which version a client has. Instead the kernel ends a connection over which nothing is
            // acknowledged. It waits longer for a subscriber, which may read slowly.
            let wait = acknowledgement.milliseconds
            settings.append(SocketSetting(ZMQ_TCP_MAXRT, (kind == .publisher ? 3 : 1) * wait))
        } else {
            // Without heartbeats a subscriber never notices that a connection is half-open. The server, too, ends the
            // connection of a client whose heartbeats stay away.
            let ping = heartbeat.milliseconds
            settings += [
                SocketSetting(ZMQ_HEARTBEAT_IVL, ping),
                SocketSetting(ZMQ_HEARTBEAT_TIMEOUT, 8 * ping),
                SocketSetting(ZMQ_HEARTBEAT_TTL, 8 * ping),
            ]
        }
        switch kind {
        case .router:
            // A reply to a peer that is gone becomes an error, which is counted. Never ZMQ_ROUTER_HANDOVER: it gives a
            // client's answers to any peer that announces its routing id, and aborts the process (`!_io_error`).
            // See docs/decisions/libzmq-and-strangers.md.
            settings.append(SocketSetting(ZMQ_ROUTER_MANDATORY, 1))
        case .publisher:
            // Delivers every subscription and its end, not only the first and last of a topic, so that they can be counted.
            settings.append(SocketSetting(ZMQ_XPUB_VERBOSER, 1))
            // The kernel holds little of what a client sends, so that the time of a scan bounds it.
            settings.append(SocketSetting(ZMQ_RCVBUF, 4 << 10))
        case .dealer:
            if let routingID { settings.append(SocketSetting(ZMQ_ROUTING_ID, bytes: routingID)) }
        case .subscriber:
            break
        }
        return settings
    }
}

/// A libzmq option and its value, for zmq_setsockopt(3).
struct SocketSetting {
    let option: Int32
    let bytes: [UInt8]

    init(_ option: Int32, bytes: [UInt8]) {
        self.option = option
        self.bytes = bytes
    }

    /// The message size alone is an `int64_t`; every other number is an `int`.
    init(_ option: Int32, _ value: Int) {
        self.option = option
        bytes =
            option == ZMQ_MAXMSGSIZE
            ? withUnsafeBytes(of: Int64(value), Array.init) : withUnsafeBytes(of: Int32(clamping: value), Array.init)
    }
}
