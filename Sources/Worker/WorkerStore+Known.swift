import Contract
import EventStore
import FoundationEssentials
import SQLite

extension WorkerStore {
    /// The newest event of a topic, and when an upstream last confirmed it.
    struct Known: Sendable {
        let event: LoggedEvent
        let checked: Date

        /// Whether it was confirmed within `period`; a time to come is from before the clock was set back, and says nothing.
        func isFresh(for period: TimeInterval, at now: Date) -> Bool {
            (0..<period).contains(now.timeIntervalSince(checked))
        }
    }

    /// What the log knows about a topic, or nil if that is nothing.
    func known(_ topic: Topic) async throws -> Known? {
        try await database.read { connection in try known(topic, in: connection) }
    }

    /// What the log knows about a topic, on a connection.
    func known(_ topic: Topic, in connection: Connection) throws -> Known? {
        try log.latest(topic, in: connection).map { event in try known(event, in: connection) }
    }

    /// The same about an event that is its topic's newest.
    func known(_ event: LoggedEvent, in connection: Connection) throws -> Known {
        Known(event: event, checked: try FreshnessTable.last(event.topic, in: connection) ?? .distantPast)
    }
}
