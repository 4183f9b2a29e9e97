/// How far a reader has come in a log: which events it has had, so that it can go on after them, once each.
///
/// Keep it in the transaction that keeps what the events led to, and each event counts exactly once whatever crashes. It
/// belongs to the prefixes it was read with: of other topics it says nothing.
public struct LogPosition: Sendable {
    /// The log.
    public let epoch: String
    /// The streams as they were when another began to move.
    private var resting: [Stream: StreamPosition]
    /// The one that moves, beside the others: each event has a position of its own, most of them differ in nothing else.
    private var moving: (stream: Stream, place: StreamPosition)?

    /// Makes a position in a log; without streams it is the log's beginning.
    public init(epoch: String, streams: [Stream: StreamPosition] = [:]) {
        self.epoch = epoch
        resting = streams
    }

    /// How far in each stream; one that is not here was not begun.
    public var streams: [Stream: StreamPosition] {
        guard let moving else { return resting }
        var streams = resting
        streams[moving.stream] = moving.place
        return streams
    }

    subscript(stream: Stream) -> StreamPosition {
        get {
            if let moving, moving.stream == stream { return moving.place }
            return resting[stream] ?? StreamPosition(after: .zero)
        }
        set {
            if moving?.stream != stream { resting = streams }
            moving = (stream, newValue)
        }
    }
}

extension LogPosition: Hashable {
    /// Whether two readers have come as far.
    public static func == (one: LogPosition, other: LogPosition) -> Bool {
        one.epoch == other.epoch && one.streams == other.streams
    }

    /// Feeds the log and its streams.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(epoch)
        hasher.combine(streams)
    }
}

extension LogPosition: Codable {
    private enum CodingKeys: CodingKey {
        case epoch, streams
    }

    /// Reads a position as it is kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            epoch: try container.decode(String.self, forKey: .epoch),
            streams: try container.decode([Stream: StreamPosition].self, forKey: .streams))
    }

    /// Writes it to be kept.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(epoch, forKey: .epoch)
        try container.encode(streams, forKey: .streams)
    }
}

/// How far a reader has come in one stream.
public struct StreamPosition: Hashable, Sendable, Codable {
    /// The place up to which it has had all that it wants.
    public private(set) var after: SequenceNumber
    /// The events that it has had beyond that, while it is not known whether others of its topics lie between.
    public private(set) var beyond: Set<SequenceNumber> = []

    /// Makes the position of a reader that has had all up to a place, and nothing after it.
    public init(after: SequenceNumber) {
        self.after = after
    }

    /// Whether the reader has had an event.
    func has(_ sequence: SequenceNumber) -> Bool {
        sequence <= after || beyond.contains(sequence)
    }

    /// Notes one more event.
    mutating func add(_ sequence: SequenceNumber) {
        if sequence == after.advanced(by: 1) { after = sequence } else { beyond.insert(sequence) }
        absorb()
    }

    /// Notes that nothing is missing up to a place.
    mutating func complete(to place: SequenceNumber) {
        guard place > after else { return }
        after = place
        beyond = beyond.filter { $0 > place }
        absorb()
    }

    private mutating func absorb() {
        while !beyond.isEmpty, beyond.remove(after.advanced(by: 1)) != nil { after = after.advanced(by: 1) }
    }
}
