/// The counters of a socket, for metrics.
///
/// They count every message that this program loses. They do not count what ZeroMQ loses after a message was `sent`,
/// because libzmq does not report it: for a subscriber at the high-water mark, with a connection that breaks, and at the
/// end of the linger. A program that must not miss a message reads it from a log, or asks again.
public struct SocketCounters: Sendable, Hashable {
    /// Whole messages delivered to `incoming`.
    public internal(set) var received = 0
    /// Messages given to libzmq.
    public internal(set) var sent = 0
    /// Received messages rejected: too many frames, a full queue, or, at a publisher, a malformed subscription.
    public internal(set) var refused = 0
    /// Messages returned to the caller because the send queue was full, the socket closed or the task cancelled.
    public internal(set) var returned = 0
    /// Messages lost because a router's peer did not read, or because the linger ended while they were queued.
    public internal(set) var dropped = 0
    /// Messages of a router to a peer that is not connected.
    public internal(set) var unroutable = 0
    /// The clients that are connected to a bound socket now.
    public internal(set) var connections = 0
    /// The connections to a bound socket that have ended.
    ///
    /// libzmq does not report why, not even when it closed one for a frame that is too large.
    public internal(set) var disconnections = 0

    /// Makes counters of zero.
    public init() {}

    /// Adds the counts of one step, or of another socket.
    package static func += (counters: inout SocketCounters, step: SocketCounters) {
        counters.received += step.received
        counters.sent += step.sent
        counters.refused += step.refused
        counters.returned += step.returned
        counters.dropped += step.dropped
        counters.unroutable += step.unroutable
        counters.connections += step.connections
        counters.disconnections += step.disconnections
    }
}
