public import Contract
import EventStore
import FoundationEssentials
import Messaging

/// Which events are history, from which is learnt and which fire nothing.
///
/// What the worker's log held when the notifier was started for the first time is history, and what backfill brings is,
/// whenever it comes. Where the former ends is found once, by the time of events and of the start, and from then on is a
/// place in each stream: whoever knows the places decides as the notifier did, whenever the log is read.
///
/// See docs/decisions/0017-alert-history-baseline.md.
public struct BaselinePosition: Hashable, Sendable, Codable {
    /// The last event of each stream that is history; a stream that is not here has its end still to be found.
    public private(set) var ends: [Stream: SequenceNumber]

    /// Makes a history that ends at these places.
    public init(ends: [Stream: SequenceNumber] = [:]) {
        self.ends = ends
    }

    /// A log of which only what backfill brings is history.
    public static let none = BaselinePosition(ends: Dictionary(uniqueKeysWithValues: streams.map { ($0, .zero) }))

    /// The streams from which it is learnt in any case.
    private static let streams: [Stream] = [.ranking, .anomaly]

    /// Whether an event is history for a notifier that `began` then. The first that is not, ends it.
    mutating func includes(_ event: Event, began: Date) -> Bool {
        if event.priority == .backfill { return true }
        if let end = ends[event.stream] { return event.sequence <= end }
        if event.time < began { return true }
        ends[event.stream] = SequenceNumber(event.sequence.value - 1)
        return false
    }

    /// Whether a logged event is history, where all ends are known; a stream without one has none.
    func includes(_ event: LoggedEvent) throws(DecodingError) -> Bool {
        if event.sequence <= ends[event.stream] ?? .zero { return true }
        return try event.priority == .backfill
    }

    /// Makes it reach as far as a reader has come.
    mutating func extend(to position: LogCursor) {
        for (stream, place) in position.streams { ends[stream] = max(ends[stream] ?? .zero, place.after) }
    }

    /// Leaves it open again where it ends in some streams, of which nothing is known any more.
    mutating func forget(_ streams: Set<Stream>) {
        for stream in streams { ends[stream] = nil }
    }

    /// Ends it where a reader has come, in the streams whose end is still to be found.
    mutating func end(at position: LogCursor, besides further: Set<Stream> = []) {
        for stream in further.union(Self.streams) where ends[stream] == nil {
            ends[stream] = position.streams[stream]?.after ?? .zero
        }
    }
}
