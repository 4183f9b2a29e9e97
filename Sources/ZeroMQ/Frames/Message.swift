/// One ZeroMQ message: its frames, which are delivered together or not at all.
public struct Message: Sendable {
    /// The frames, at least one; a message to or from a router begins with the peer's routing id.
    public var frames: [[UInt8]]
    /// The peer that sent it, if it was received on a bound socket. Does not take part in comparison.
    public let peer: PeerIdentity?
    /// The connection over which a router received it. A router sends a message that names a connection over that
    /// connection or not at all.
    public internal(set) var connection: ConnectionID?
    /// Why the message is not to be used; nil if it is whole.
    public internal(set) var truncation: Truncation?

    /// The number of equal messages that this one stands for in a receive queue, one directly behind the other.
    var repeatCount = 1
    /// Counts the message as unread by its receiver, on its way out of a router.
    var reservation: UnreadBytes.Reservation?

    /// Makes a message from its frames; one received from a peer, and the answer to it, with the peer and the connection.
    public init(_ frames: [[UInt8]], peer: PeerIdentity? = nil, connection: ConnectionID? = nil) {
        self.frames = frames
        self.peer = peer
        self.connection = connection
    }

    /// Makes a message with one frame for each text, in UTF-8.
    public init(_ texts: String...) {
        self.init(texts.map { Array($0.utf8) })
    }

    /// Returns the text of a frame; nil if there is no such frame or it is not valid UTF-8.
    public func text(at index: Int) -> String? {
        guard frames.indices.contains(index) else { return nil }
        return String(validating: frames[index], as: UTF8.self)
    }

    /// The approximate size in memory in bytes: the frames, and what Swift needs for each array.
    var footprint: Int {
        frames.reduce(64) { $0 + 32 + $1.count }
    }
}

extension Message {
    /// The limits of an envelope: fifteen routing ids, each as long as libzmq allows, and the empty frame.
    static let maximumEnvelope = (frames: 16, bytes: 4 << 10)

    /// The number of frames with which a reply to a message that a router has received begins, too.
    ///
    /// These are the frames up to the first empty one (RFC 28): routing ids that proxies have added, and what the client
    /// itself puts before its question. Without an empty frame that something follows, or with too long an envelope, it is
    /// the first frame alone, the routing id.
    public var envelopeLength: Int {
        guard let end = frames.prefix(Self.maximumEnvelope.frames).dropFirst().firstIndex(where: \.isEmpty),
            end + 1 < frames.count || truncation != nil,
            frames[..<end].reduce(0, { $0 + $1.count }) <= Self.maximumEnvelope.bytes
        else { return 1 }
        return end + 1
    }

    /// Why a message is not to be used, and may be incomplete.
    public enum Truncation: Sendable, Hashable {
        /// The message has more frames than `SocketOptions.maximumFrames`.
        case tooManyFrames
        /// The receive queue is full.
        case noRoom
        /// The peer speaks ZMTP 1.0 or 2.0; the message is whole.
        case oldPeer
    }
}

extension Message: Equatable {
    /// Returns whether two messages have the same frames.
    public static func == (one: Message, other: Message) -> Bool { one.frames == other.frames }
}

/// The peer that sent a message, as far as libzmq reports it.
public final class PeerIdentity: Sendable {
    /// The peer's network address without its port; empty for a peer on the same machine that uses `ipc`.
    public let address: String
    /// The name under which the peer was admitted; nil without encryption.
    public let name: String?

    /// Makes an identity.
    public init(address: String, name: String?) {
        self.address = address
        self.name = name
    }
}
