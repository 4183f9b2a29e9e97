import Contract

/// What the notifier says of itself when it is asked.
struct NotifierStatus: Sendable, Encodable {
    let version: String
    let epoch: String
    let positions: [Stream: SequenceNumber]
    /// The last event of each of the worker's streams that it only learnt from, once that is known.
    let learned: [Stream: SequenceNumber]
    /// How many alerts wait for each sink.
    let queue: [String: Int]
    /// What became of the alerts for each sink.
    let sinks: [String: SinkCounts]
    /// It calls no upstream.
    let quota: [String: Int] = [:]
    /// Seconds since the start.
    let uptime: Int
}
