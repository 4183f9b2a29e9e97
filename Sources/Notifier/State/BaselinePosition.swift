public import Contract
import EventStore
import FoundationEssentials
import Messaging

/// The events that update the notifier's state and fire nothing.
///
/// The baseline is all that the worker's log held when the notifier was first started. Its end is found once, by comparing
/// the times of events with the time of the start. From then on it is a sequence in each stream, so that a replay with the
/// same sequences decides as the notifier did.
///
/// See docs/decisions/alert-history-baseline.md.
public struct BaselinePosition: Hashable, Sendable, Codable {
    /// The last event of the baseline in each stream; for a stream that is missing it has yet to be found.
    public private(set) var ends: [Stream: SequenceNumber]

    /// Makes a baseline that ends at these events.
    public init(ends: [Stream: SequenceNumber] = [:]) {
        self.ends = ends
    }

    /// No event.
    public static let none = BaselinePosition(ends: Dictionary(uniqueKeysWithValues: streams.map { ($0, .zero) }))

    /// The streams that are always read.
    private static let streams: [Stream] = [.ranking, .anomaly]

    /// Whether an event is part of the baseline of a notifier that was first started at `began`.
    ///
    /// The first live event after the start ends the baseline of its stream.
    mutating func includes(_ event: Event, began: Date) -> Bool {
        if let end = ends[event.stream] { return event.sequence <= end }
        if event.time < began { return true }
        ends[event.stream] = SequenceNumber(event.sequence.value - 1)
        return false
    }

    /// Whether a logged event is part of the baseline; a stream without an end has none.
    func includes(_ event: LoggedEvent) -> Bool {
        event.sequence <= ends[event.stream] ?? .zero
    }

    /// Moves the ends forward to a reader's position.
    mutating func extend(to position: LogCursor) {
        for (stream, cursor) in position.streams { ends[stream] = max(ends[stream] ?? .zero, cursor.after) }
    }

    /// Removes the ends of these streams, so that they are found again.
    mutating func reopen(_ streams: Set<Stream>) {
        for stream in streams { ends[stream] = nil }
    }

    /// Ends the baseline at a reader's position, in each stream whose end has yet to be found.
    mutating func close(at position: LogCursor, alsoFor further: Set<Stream> = []) {
        for stream in further.union(Self.streams) where ends[stream] == nil {
            ends[stream] = position.streams[stream]?.after ?? .zero
        }
    }
}
