import Events
import FoundationEssentials
import SQLite

extension Journal {
    /// The newest event of a topic, what it says, and when an upstream last confirmed it.
    struct Known<Value: Sendable>: Sendable {
        let event: LoggedEvent
        let value: Value
        let checked: Date

        /// Whether it was confirmed within `period`; a time to come is from before the clock was set back, and says nothing.
        func isFresh(for period: TimeInterval, at now: Date) -> Bool {
            (0..<period).contains(now.timeIntervalSince(checked))
        }
    }

    /// What the log knows about a topic, or nil if that is nothing.
    func known<Value: Decodable & Sendable>(_ topic: Topic, as type: Value.Type) async throws -> Known<Value>? {
        try await database.read { connection in
            guard let event = try log.latest(topic, in: connection) else { return nil }
            let checked = try Checks.last(topic, in: connection) ?? .distantPast
            return Known(event: event, value: try event.data(as: Value.self), checked: checked)
        }
    }
}
