/// What a server has done so far with those who came, for metrics.
///
/// Not told by the library, and so not here: connections that it closes as too many of one address, and addresses that are
/// longer than a head may be.
public struct HTTPServerCounters: Sendable, Hashable {
    /// The connections that are open now.
    public internal(set) var connections = 0
    /// Requests that came whole.
    public internal(set) var requests = 0
    /// Requests that cannot be read, or are too large.
    public internal(set) var malformed = 0
    /// Connections cut because no whole request came in time, those that only stood idle among them.
    public internal(set) var late = 0
    /// Connections cut to make room, because they had waited longest.
    public internal(set) var crowded = 0

    /// Starts from zero.
    public init() {}
}
