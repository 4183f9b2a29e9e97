/// What a socket has done so far, for metrics.
///
/// Every message that this program loses is counted here. What ZeroMQ loses after it was `sent` is not, because libzmq does
/// not tell: for a subscriber whose queue stands at the high-water mark, with a connection that breaks, at the end of
/// the linger. Whoever must not miss anything repairs from a log or asks again.
public struct SocketCounters: Sendable, Hashable {
    /// Messages handed over to `incoming`, whole.
    public internal(set) var received = 0
    /// Messages given to ZeroMQ.
    public internal(set) var sent = 0
    /// Incoming messages refused: too many frames, no room, or, at a publisher, no subscription or one too many to remember.
    public internal(set) var refused = 0
    /// Messages given back to the sender because the outbox was full, the socket closed or the sender cancelled.
    public internal(set) var returned = 0
    /// Outgoing messages lost: a router's peer did not read, or the linger ended with the message still queued.
    public internal(set) var dropped = 0
    /// Messages of a router to a peer that is not, or no longer, connected.
    public internal(set) var unroutable = 0
    /// The clients that are connected now, for a socket that is bound.
    public internal(set) var connections = 0
    /// Connections that ended, for a socket that is bound; libzmq does not tell why, not even when it cut one for a frame
    /// that is too large.
    public internal(set) var disconnections = 0

    /// Starts from zero.
    public init() {}

    /// Adds what was done since.
    static func += (counters: inout SocketCounters, more: SocketCounters) {
        counters.received += more.received
        counters.sent += more.sent
        counters.refused += more.refused
        counters.returned += more.returned
        counters.dropped += more.dropped
        counters.unroutable += more.unroutable
        counters.connections += more.connections
        counters.disconnections += more.disconnections
    }
}
