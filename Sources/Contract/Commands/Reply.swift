public import JSONCoding

/// The reply to a command: a word that names the kind of reply, and its body.
public struct Reply: Hashable, Sendable {
    /// The frames: the word, then the body.
    public let frames: [[UInt8]]

    /// Makes a reply from its frames; the first is the word.
    public init(frames: [[UInt8]]) { self.frames = frames }

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
    public var body: [UInt8] { frames.count > 1 ? frames[1] : [] }

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

/// The header of a reply to `replay` or `latest`, before its events.
public struct PageHeader: Hashable, Sendable, Codable {
    /// The epoch of the log.
    public let epoch: String
    /// The stream of `position`; null if the events may belong to several.
    @Nullable public var stream: Stream?
    /// For `replay`, the sequence up to which nothing was left out. For `latest`, the sequence of the stream's newest
    /// event.
    @Nullable public var position: SequenceNumber?
    /// Whether more events follow.
    public let more: Bool
    /// For `replay`, the sequence of the oldest event that the log has of the stream; earlier ones were deleted.
    public var first: SequenceNumber?
    /// For `latest`, the sequence of each stream's newest event.
    public var positions: [Stream: SequenceNumber]?

    /// Makes a header; `first` is only in an answer to `replay`, `positions` in one to `latest`.
    public init(
        epoch: String, stream: Stream?, position: SequenceNumber?, more: Bool,
        first: SequenceNumber? = nil, positions: [Stream: SequenceNumber]? = nil
    ) {
        self.epoch = epoch
        self.stream = stream
        self.position = position
        self.more = more
        self.first = first
        self.positions = positions
    }
}

extension Stream {
    /// Makes the only stream whose topics can begin with `prefix`; nil if there are several or none.
    public init?(ofPrefix prefix: String) {
        let possible = Stream.allCases.filter { stream in
            let word = stream.rawValue + "."
            return word.hasPrefix(prefix) || prefix.hasPrefix(word)
        }
        guard possible.count == 1 else { return nil }
        self = possible[0]
    }
}

/// The fields of a `replay` or `latest` command, with their checks.
public struct PageFields: Decodable, Sendable {
    /// The allowed number of events in a reply.
    public static let limits = 1...5_000

    private var stream: String?
    private var after: String?
    private var topic: String?
    /// Decoded as any number, to distinguish a fraction from a value that is not a number.
    private var limit: Double?

    /// Reads a command's body: a JSON object, or nothing. Unknown fields are ignored.
    public init(frames: [[UInt8]]) throws(ContractError) {
        let body = try RequestFrames(frames).body
        self = try RequestBody.fields(body.isEmpty ? "{}" : body, as: Self.self)
        // Before they are compared with topics, which takes long for a text of many bytes.
        for (field, text) in [("topic", topic), ("after", after)] where text?.utf8.count ?? 0 > Topic.maximumBytes {
            throw ContractError(.badRequest, "\(field) must have at most \(Topic.maximumBytes) bytes", field: field)
        }
    }

    /// Returns the stream to replay.
    public func requiredStream() throws(ContractError) -> Stream {
        let names = Stream.allCases.map(\.rawValue).joined(separator: ", ")
        return try RequestBody.required(
            RequestBody.known(stream, "stream", must: "be one of \(names)") { Stream(rawValue: $0) }, "stream")
    }

    /// Returns the sequence after which to replay.
    public func sequence() throws(ContractError) -> SequenceNumber {
        let after = after == "" ? nil : after
        return try RequestBody.known(after, "after", must: "be a sequence of sixteen digits, or empty") {
            SequenceNumber($0)
        } ?? .zero
    }

    /// The topic after which to continue; topics are only compared with it, so any text of their length is valid.
    public var lastTopic: String { after ?? "" }

    /// The prefix of the topics; empty for all.
    public var prefix: String { topic ?? "" }

    /// Returns the number of events to reply with.
    public func count() throws(ContractError) -> Int {
        try RequestBody.known(limit, "limit", must: "be a whole number from 1 to \(Self.limits.upperBound)") {
            Int(exactly: $0).flatMap { Self.limits.contains($0) ? $0 : nil }
        } ?? 500
    }
}
