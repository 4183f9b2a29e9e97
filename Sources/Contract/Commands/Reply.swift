import JSONCoding

/// The answer to a command: a word that says how it went, and what belongs to it.
public struct Reply: Hashable, Sendable {
    /// The word and what belongs to it, as frames.
    public let frames: [[UInt8]]

    /// Makes a reply from its frames; the first is the word.
    public init(frames: [[UInt8]]) {
        self.frames = frames
    }

    /// The word: `accepted`, `refused`, `status`, `events`.
    public var word: String {
        frames.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The receipt of a request that is safely on disk.
    public static func accepted(_ id: RequestID) -> Reply {
        // By hand, because every request waits for it: as Foundation writes it, in a tenth of the time.
        var receipt = JSONWriter(capacity: 192)
        receipt.member("id", id.description, isFirst: true)
        receipt.endObject()
        return Reply(frames: [Array("accepted".utf8), receipt.bytes])
    }

    /// The answer to what was not understood or not taken.
    public static func refused(_ failure: ContractError) -> Reply {
        Reply("refused", failure)
    }

    /// The answer to `status`.
    public static func status(_ status: some Encodable) -> Reply {
        Reply("status", status)
    }

    /// The answer to `replay` and `latest`: the header, then each event's two frames as they stand in the log.
    public static func events(_ events: [[UInt8]], _ header: PageHeader) -> Reply {
        Reply(frames: Reply("events", header).frames + events)
    }

    private init(_ word: String, _ body: some Encodable) {
        frames = [Array(word.utf8), JSON.encodeInfallibly(body)]
    }

    /// What belongs to the word: the second frame.
    public var body: [UInt8] {
        frames.count > 1 ? frames[1] : []
    }

    /// The id in a receipt, or nil if this is none.
    public var requestID: RequestID? {
        guard word == "accepted" else { return nil }
        // A receipt that cannot be read is none.
        return try? JSON.decode(Receipt.self, from: body).id
    }

    private struct Receipt: Codable {
        let id: RequestID
    }

    /// The failure that a refusal carries, or nil if this is no refusal.
    public var failure: ContractError? {
        guard word == "refused" else { return nil }
        // A refusal that cannot be read is a refusal all the same.
        return (try? JSON.decode(ContractError.self, from: body))
            ?? ContractError(.internal, "the refusal cannot be read")
    }
}
