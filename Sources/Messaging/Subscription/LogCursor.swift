public import Contract

/// A reader's position in a log: the events it has received.
///
/// Store the cursor in the transaction that stores the results of the events; then each event takes effect exactly once,
/// even after a crash. A cursor is valid only for the topic prefixes that it was read with.
public struct LogCursor: Hashable, Sendable, Codable {
    /// The epoch of the log.
    public let epoch: String
    /// The position in each stream that was begun.
    public internal(set) var streams: [Stream: StreamCursor]

    /// Makes a cursor; without streams, it stands at the beginning of the log.
    public init(epoch: String, streams: [Stream: StreamCursor] = [:]) {
        self.epoch = epoch
        self.streams = streams
    }

    subscript(stream: Stream) -> StreamCursor { streams[stream] ?? .beginning }
}

/// A reader's position in one stream.
public struct StreamCursor: Hashable, Sendable, Codable {
    /// The sequence up to which the reader has received every event it subscribed to.
    public private(set) var after: SequenceNumber
    /// The events received after that, while it is unknown whether others of the reader's topics lie between.
    private(set) var outOfOrder: Set<SequenceNumber> = []

    /// The position of a reader that has received nothing.
    static let beginning = StreamCursor(after: .zero)

    /// Makes the position of a reader that has received everything up to a sequence and nothing after it.
    public init(after: SequenceNumber) {
        self.after = after
    }

    private enum CodingKeys: String, CodingKey {
        case after
        // The name in docs/subscription.md.
        case outOfOrder = "beyond"
    }

    func contains(_ sequence: SequenceNumber) -> Bool {
        sequence <= after || outOfOrder.contains(sequence)
    }

    mutating func insert(_ sequence: SequenceNumber) {
        if sequence == after.advanced(by: 1) { after = sequence } else { outOfOrder.insert(sequence) }
        advance()
    }

    /// Records that nothing is missing up to a sequence.
    mutating func complete(to sequence: SequenceNumber) {
        guard sequence > after else { return }
        after = sequence
        outOfOrder = outOfOrder.filter { $0 > sequence }
        advance()
    }

    private mutating func advance() {
        while !outOfOrder.isEmpty, outOfOrder.remove(after.advanced(by: 1)) != nil { after = after.advanced(by: 1) }
    }
}
