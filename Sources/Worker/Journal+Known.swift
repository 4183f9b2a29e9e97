import Events
import FoundationEssentials
import SQLite

extension Journal {
    /// The newest event of a topic, what it says, and when an upstream last confirmed it.
    struct Known<Value: Sendable>: Sendable {
        let event: LoggedEvent
        let value: Value
        let checked: Date

        /// How long ago it was confirmed; after a clock was set back, as if it had just been.
        func age(at now: Date) -> TimeInterval {
            max(0, now.timeIntervalSince(checked))
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
