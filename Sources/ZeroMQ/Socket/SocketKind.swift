internal import CZMQ

/// What a socket does, each kind for one use in the project.
public enum SocketKind: String, Sendable, Hashable, CaseIterable {
    /// XPUB: sends each message to whoever subscribed to a prefix of its first frame, and knows that somebody did.
    ///
    /// Both for those who bind (events, alerts) and for clients that connect to a bound subscriber.
    case publisher
    /// SUB: receives the messages whose first frame begins with a subscribed prefix.
    case subscriber
    /// ROUTER: receives from many peers, each message preceded by its peer's routing id, and answers to that id.
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

    /// The fewest frames a message to send can have: none is sent by a subscriber.
    var fewestFramesToSend: Int? {
        switch self {
        case .publisher, .dealer: 1
        case .router: 2
        case .subscriber: nil
        }
    }
}
