internal import CZMQ

/// One option of libzmq and its value, for zmq_setsockopt(3).
struct SocketSetting {
    let name: String
    let option: Int32
    let value: Int64
    /// The value of an option that is no number.
    var bytes: [UInt8]?
    /// libzmq takes every option as `int`, but the message size as `int64_t`.
    var isWide: Bool { option == ZMQ_MAXMSGSIZE }

    init(_ name: String, _ option: Int32, _ value: Int) {
        self.name = name
        self.option = option
        self.value = Int64(value)
    }

    init(_ name: String, _ option: Int32, bytes: [UInt8]) {
        self.init(name, option, 0)
        self.bytes = bytes
    }
}

extension SocketOptions {
    /// Every option that is set on a socket, in the one place; a handle applies them before it can bind or connect.
    ///
    /// Each is described under its name in http://api.zeromq.org/4-3:zmq-setsockopt.
    func settings(for kind: SocketKind) -> [SocketSetting] {
        let ping = heartbeat.milliseconds
        var settings = [
            // Per peer; what happens above is the kind's: block, drop, or refuse.
            SocketSetting("ZMQ_SNDHWM", ZMQ_SNDHWM, sendHighWater),
            // Unlimited, because nothing waits there: the I/O thread reads all that comes, and refuses what is too much. At
            // a limit libzmq stops reading a connection, and when that breaks off then, the next heartbeat aborts the process
            // (`!_io_error` in stream_engine_base.cpp, https://github.com/zeromq/libzmq/issues/4841).
            SocketSetting("ZMQ_RCVHWM", ZMQ_RCVHWM, 0),
            // Never -1: one open socket would make zmq_ctx_term wait for ever.
            SocketSetting("ZMQ_LINGER", ZMQ_LINGER, linger.milliseconds),
            // A half-open connection looks alive to a subscriber for ever unless both sides ask and listen.
            SocketSetting("ZMQ_HEARTBEAT_IVL", ZMQ_HEARTBEAT_IVL, ping),
            // A subscriber behind a slow link reads the question after all that was sent before it, megabytes of which wait
            // in the kernels, and never says anything else.
            SocketSetting("ZMQ_HEARTBEAT_TIMEOUT", ZMQ_HEARTBEAT_TIMEOUT, (kind == .publisher ? 12 : 3) * ping),
            SocketSetting("ZMQ_HEARTBEAT_TTL", ZMQ_HEARTBEAT_TTL, 3 * ping),
            // For peers whose ZeroMQ knows no heartbeats, and to keep a firewall's memory fresh.
            SocketSetting("ZMQ_TCP_KEEPALIVE", ZMQ_TCP_KEEPALIVE, 1),
            SocketSetting("ZMQ_TCP_KEEPALIVE_IDLE", ZMQ_TCP_KEEPALIVE_IDLE, 60),
            SocketSetting("ZMQ_TCP_KEEPALIVE_INTVL", ZMQ_TCP_KEEPALIVE_INTVL, 10),
            SocketSetting("ZMQ_TCP_KEEPALIVE_CNT", ZMQ_TCP_KEEPALIVE_CNT, 3),
            // A connection that never greets must not hold a descriptor: libzmq aborts the process when they run out.
            SocketSetting("ZMQ_HANDSHAKE_IVL", ZMQ_HANDSHAKE_IVL, handshake.milliseconds),
            // Unlimited by default. Peers send a publisher nothing but subscriptions, and topics are short.
            SocketSetting("ZMQ_MAXMSGSIZE", ZMQ_MAXMSGSIZE, kind == .publisher ? 1024 : maximumFrameBytes),
            // All clients come back at once when a server restarts; the kernel cuts this to its own limit.
            SocketSetting("ZMQ_BACKLOG", ZMQ_BACKLOG, 1024),
            // Quick at first, for programs that start together, then slower, for one that is gone.
            SocketSetting("ZMQ_RECONNECT_IVL", ZMQ_RECONNECT_IVL, 100),
            SocketSetting("ZMQ_RECONNECT_IVL_MAX", ZMQ_RECONNECT_IVL_MAX, 2000),
        ]
        switch kind {
        case .router:
            // An answer to a peer that is gone is an error to count, not silence.
            settings.append(SocketSetting("ZMQ_ROUTER_MANDATORY", ZMQ_ROUTER_MANDATORY, 1))
            // A client that comes back under its own routing id takes the place of its former connection. Otherwise libzmq
            // reads nothing of the new one as long as the other is there, and keeps all that it says.
            settings.append(SocketSetting("ZMQ_ROUTER_HANDOVER", ZMQ_ROUTER_HANDOVER, 1))
        case .publisher:
            // Each subscription and its end are told, not only a topic's first and last: they are counted.
            settings.append(SocketSetting("ZMQ_XPUB_VERBOSER", ZMQ_XPUB_VERBOSER, 1))
        case .subscriber, .dealer:
            break
        }
        return settings
    }
}

extension Encryption.Client {
    /// The client's half of CURVE.
    var settings: [SocketSetting] {
        [
            SocketSetting("ZMQ_CURVE_SERVERKEY", ZMQ_CURVE_SERVERKEY, bytes: server.bytes),
            SocketSetting("ZMQ_CURVE_PUBLICKEY", ZMQ_CURVE_PUBLICKEY, bytes: keys.publicKey.bytes),
            SocketSetting("ZMQ_CURVE_SECRETKEY", ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
        ]
    }
}

extension Encryption.Server {
    /// The server's half of CURVE; the domain tells the doorman what a client wants to reach.
    func settings(for kind: SocketKind) -> [SocketSetting] {
        [
            SocketSetting("ZMQ_CURVE_SERVER", ZMQ_CURVE_SERVER, 1),
            SocketSetting("ZMQ_CURVE_SECRETKEY", ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey),
            SocketSetting("ZMQ_ZAP_DOMAIN", ZMQ_ZAP_DOMAIN, bytes: Array(kind.rawValue.utf8)),
        ]
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up, never negative.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(0, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
