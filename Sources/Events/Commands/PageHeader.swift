import BoxOffice

/// What an answer to `replay` or `latest` says before its events.
struct PageHeader: Hashable, Sendable, Codable {
    /// The log that the places are in.
    let epoch: String
    /// The stream that `position` counts; null if the events may be of several.
    @Nullable var stream: Stream?
    /// For `replay`, the place up to which nothing was left out. For `latest`, the place of the stream's newest event:
    /// what came later is after it.
    @Nullable var position: SequenceNumber?
    /// Whether there is more to ask for.
    let more: Bool
    /// For `latest`, the place of each stream's newest event.
    var positions: [Stream: SequenceNumber]?

    /// The header of a page of a stream.
    init(_ page: EventLog.Frames, of stream: Stream, epoch: String) {
        self.epoch = epoch
        self.stream = stream
        position = page.position
        more = page.more
    }

    /// The header of the newest events of the topics that begin with a prefix.
    init(_ snapshot: EventLog.Snapshot, prefix: String, epoch: String) {
        let stream = Stream(ofPrefix: prefix)
        self.epoch = epoch
        self.stream = stream
        position = stream.map { snapshot.positions[$0] ?? .zero }
        more = snapshot.more
        positions = snapshot.positions
    }
}

extension Stream {
    /// The one stream whose topics can begin with `prefix`, if it is one.
    init?(ofPrefix prefix: String) {
        let possible = Stream.allCases.filter { stream in
            let word = stream.rawValue + "."
            return word.hasPrefix(prefix) || prefix.hasPrefix(word)
        }
        guard let stream = possible.first, possible.count == 1 else { return nil }
        self = stream
    }
}
