/// One ZeroMQ message: its frames, which travel together or not at all.
public struct Message: Sendable {
    /// The frames, at least one; a message to or from a router begins with the peer's routing id.
    public var frames: [[UInt8]]
    /// Who sent it, where it came in on a socket that is bound; messages that say the same are equal, whoever sent them.
    public let sender: PeerIdentity?

    /// Why only its beginning is here, if so: only a router hands on such a message, so that somebody can say so.
    public internal(set) var cut: Truncation?

    /// How many of its kind it stands for while it waits, one behind the other.
    var copies = 1

    /// What it counts as until its receiver has it, on its way out of a router.
    var charge: UnreadByteAccounting.Reservation?

    /// Makes a message from its frames.
    public init(_ frames: [[UInt8]]) {
        self.init(frames, sender: nil)
    }

    /// Makes a message as it came from somebody.
    public init(_ frames: [[UInt8]], sender: PeerIdentity?) {
        self.frames = frames
        self.sender = sender
    }

    /// Makes a message from texts, a frame each, in UTF-8.
    public init(_ texts: String...) {
        self.init(texts.map { Array($0.utf8) })
    }

    /// The text of a frame, or nothing if there is no such frame or it is no UTF-8.
    public func text(at index: Int) -> String? {
        guard frames.indices.contains(index) else { return nil }
        return String(validating: frames[index], as: UTF8.self)
    }

    /// About how much memory it takes: its bytes, and what Swift needs for each array.
    var footprint: Int {
        frames.reduce(64) { $0 + 32 + $1.count }
    }
}

extension Message {
    /// Why the rest of a message is gone.
    public enum Truncation: Sendable, Hashable {
        /// It had more frames than its socket takes.
        case tooManyFrames
        /// More waits to be read than the socket holds.
        case noRoom
    }
}

extension Message: Hashable {
    /// Whether two messages have the same frames.
    public static func == (one: Message, other: Message) -> Bool { one.frames == other.frames }

    /// Feeds the frames.
    public func hash(into hasher: inout Hasher) { hasher.combine(frames) }
}
