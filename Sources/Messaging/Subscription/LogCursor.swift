public import Contract

/// How far a reader has come in a log: which events it has had, so that it can go on after them, once each.
///
/// Keep it in the transaction that keeps what the events led to, and each event counts exactly once whatever crashes. It
/// belongs to the prefixes it was read with: of other topics it says nothing.
public struct LogCursor: Hashable, Sendable, Codable {
    /// The log.
    public let epoch: String
    /// How far in each stream; one that is not here was not begun.
    public internal(set) var streams: [Stream: StreamCursor]

    /// Makes a position in a log; without streams it is the log's beginning.
    public init(epoch: String, streams: [Stream: StreamCursor] = [:]) {
        self.epoch = epoch
        self.streams = streams
    }

    subscript(stream: Stream) -> StreamCursor { streams[stream] ?? .beginning }
}

/// How far a reader has come in one stream.
public struct StreamCursor: Hashable, Sendable, Codable {
    /// The place up to which it has had all that it wants.
    public private(set) var after: SequenceNumber
    /// The events that it has had beyond that, while it is not known whether others of its topics lie between.
    public private(set) var beyond: Set<SequenceNumber> = []

    /// The position of a reader that has had nothing.
    static let beginning = StreamCursor(after: .zero)

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
