/// The limits and times of a socket.
///
/// What is not here but in `settings(for:)` is the same for every socket of the project.
public struct SocketOptions: Sendable, Hashable {
    /// How many outgoing messages ZeroMQ holds per peer.
    ///
    /// Ten times ZeroMQ's default, because a publisher drops above it and a year of history is a burst. Subscribers share
    /// the memory of what they have not yet read.
    public var sendHighWater = 10_000
    /// How many bytes of messages `incoming` holds; what comes above it is refused.
    public var inboxBytes = 16 << 20
    /// How many messages wait for the I/O thread or a slow peer; above it `send` waits and `post` gives back.
    public var outboxLimit = 10_000
    /// The largest frame a peer may send; a larger one costs it the connection.
    public var maximumFrameBytes = 1 << 20
    /// The most frames a message may have, the routing id included; one with more is refused, and a router hands on what
    /// it began with, so that it can be answered.
    public var maximumFrames = 64
    /// How many clients may be connected to a socket that is bound; one more is cut off.
    public var maximumConnections = 4_096
    /// How many bytes a message may have; a client whose message goes on after that is cut off.
    public var maximumMessageBytes = 2 << 20
    /// How many bytes of messages without an end a socket that is bound holds for all clients together; above it, those who
    /// sent most are cut off.
    public var unfinishedBytes = 128 << 20
    /// How many bytes of answers a router holds for all clients together; above it, those who have left most unread are cut
    /// off.
    public var unreadBytes = 256 << 20
    /// How long closing goes on sending what is queued.
    public var linger = Duration.milliseconds(500)
    /// How often a silent connection is tried; three times that without an answer ends it, twelve times for a
    /// publisher.
    public var heartbeat = Duration.seconds(5)
    /// How long a peer may take to greet before its connection is closed.
    public var handshake = Duration.seconds(10)

    /// The limits and times that suit most sockets.
    public init() {}
}
