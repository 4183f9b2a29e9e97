public import Contract
public import ZeroMQ

/// A question that came in on a ROUTER socket, with the way back to the one who asked.
public struct Command: Sendable {
    /// The frames of the question: a name and a body, or whatever a stranger sent instead.
    public let frames: [[UInt8]]
    /// The first frame as text; what is no UTF-8 reads as a name that nobody has.
    public let name: String
    /// Who asks, as far as is known.
    public let sender: PeerIdentity?
    /// How many bytes of earlier answers the one who asks has not read; known for a page.
    var unread = 0
    /// Why the socket did not take it whole, if so; then what it asks is not known.
    let cut: Message.Truncation?
    private let route: [[UInt8]]

    /// Takes a message of a ROUTER socket apart.
    ///
    /// The first frame is the asker's routing id. A REQ socket puts an empty frame after it, a DEALER may or may not
    /// (RFC 28); the answer goes back in the form of the question.
    public init(_ message: Message) {
        let isEnveloped = message.frames.count > (message.truncation == nil ? 2 : 1) && message.frames[1].isEmpty
        let routeLength = isEnveloped ? 2 : 1
        route = Array(message.frames.prefix(routeLength))
        frames = Array(message.frames.dropFirst(routeLength))
        name = frames.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        sender = message.peer
        cut = message.truncation
    }

    /// The routing id of the one who asks.
    var asker: [UInt8] { route[0] }

    /// The answer as a message for the socket that the question came from.
    public func answer(_ reply: Reply) -> Message {
        Message(route + reply.frames)
    }
}

extension Command {
    /// Whether its answer may be large.
    var asksForPage: Bool { name == "replay" || name == "latest" }
}
