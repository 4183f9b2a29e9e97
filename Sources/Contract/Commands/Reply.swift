import JSONCoding

/// The reply to a command: a word that names the kind of reply, and its body.
public struct Reply: Hashable, Sendable {
    /// The frames: the word, then the body.
    public let frames: [[UInt8]]

    /// Makes a reply from its frames; the first is the word.
    public init(frames: [[UInt8]]) {
        self.frames = frames
    }

    /// The word: `accepted`, `refused`, `status`, `events`.
    public var word: String {
        frames.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Returns the receipt of a request that is stored on disk.
    public static func accepted(_ id: RequestID) -> Reply {
        // Not by Foundation, which takes ten times as long for the same bytes: every request waits for its receipt.
        var receipt = JSONWriter(capacity: 192)
        receipt.member("id", id.description, isFirst: true)
        receipt.endObject()
        return Reply(frames: [Array("accepted".utf8), receipt.bytes])
    }

    /// Returns the refusal of a command or request.
    public static func refused(_ failure: ContractError) -> Reply {
        Reply("refused", failure)
    }

    /// Returns the reply to `status`.
    public static func status(_ status: some Encodable) -> Reply {
        Reply("status", status)
    }

    /// Returns the reply to `replay` or `latest`: the header, then the two frames of each event as the log stores them.
    public static func events(_ events: [[UInt8]], _ header: PageHeader) -> Reply {
        Reply(frames: Reply("events", header).frames + events)
    }

    private init(_ word: String, _ body: some Encodable) {
        frames = [Array(word.utf8), JSON.encodeInfallibly(body)]
    }

    /// The body: the second frame.
    public var body: [UInt8] {
        frames.count > 1 ? frames[1] : []
    }

    /// The id in a receipt; nil if this is not a readable receipt.
    public var requestID: RequestID? {
        guard word == "accepted" else { return nil }
        // An unreadable receipt does not count as a receipt.
        return try? JSON.decode(Receipt.self, from: body).id
    }

    private struct Receipt: Codable {
        let id: RequestID
    }

    /// The error in a refusal; nil if this is not a refusal.
    public var failure: ContractError? {
        guard word == "refused" else { return nil }
        // An unreadable refusal still counts as a refusal.
        return (try? JSON.decode(ContractError.self, from: body))
            ?? ContractError(.internal, "the refusal cannot be read")
    }
}
