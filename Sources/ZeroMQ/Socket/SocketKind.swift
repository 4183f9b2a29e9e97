internal import CZMQ

/// What a socket does; the project uses each kind in one way.
public enum SocketKind: String, Sendable, Hashable, CaseIterable {
    /// XPUB: sends each message to all peers that have subscribed to a prefix of its first frame, and receives the
    /// subscriptions.
    ///
    /// Bound for events and alerts, and connected by clients to a bound subscriber.
    case publisher
    /// SUB: receives the messages whose first frame begins with a subscribed prefix.
    case subscriber
    /// ROUTER: receives from many peers, each message preceded by its peer's routing id, and sends to such an id.
    case router
    /// DEALER: sends to and receives from a router, without the lockstep of REQ.
    case dealer

    var type: Int32 {
        switch self {
        case .publisher: ZMQ_XPUB
        case .subscriber: ZMQ_SUB
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        }
    }

    /// The least number of frames of a message to send; nil if the socket cannot send.
    var minimumFrames: Int? {
        switch self {
        case .publisher, .dealer: 1
        case .router: 2
        case .subscriber: nil
        }
    }
}
