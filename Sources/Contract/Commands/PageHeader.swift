public import BoxOffice

/// What an answer to `replay` or `latest` says before its events.
public struct PageHeader: Hashable, Sendable, Codable {
    /// The log that the places are in.
    public let epoch: String
    /// The stream that `position` counts; null if the events may be of several.
    @Nullable public var stream: Stream?
    /// For `replay`, the place up to which nothing was left out. For `latest`, the place of the stream's newest event:
    /// what came later is after it.
    @Nullable public var position: SequenceNumber?
    /// Whether there is more to ask for.
    public let more: Bool
    /// For `latest`, the place of each stream's newest event.
    public var positions: [Stream: SequenceNumber]?

    /// Makes a header; `positions` is only in an answer to `latest`.
    public init(
        epoch: String, stream: Stream?, position: SequenceNumber?, more: Bool,
        positions: [Stream: SequenceNumber]? = nil
    ) {
        self.epoch = epoch
        self.stream = stream
        self.position = position
        self.more = more
        self.positions = positions
    }
}

extension Stream {
    /// The one stream whose topics can begin with `prefix`, if it is one.
    public init?(ofPrefix prefix: String) {
        let possible = Stream.allCases.filter { stream in
            let word = stream.rawValue + "."
            return word.hasPrefix(prefix) || prefix.hasPrefix(word)
        }
        guard let stream = possible.first, possible.count == 1 else { return nil }
        self = stream
    }
}
