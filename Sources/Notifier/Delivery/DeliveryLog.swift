public import EventStore
public import FoundationEssentials
import Storage
import Text

/// Reads the outcomes of deliveries from the notifier's database, whether the notifier runs or not.
public struct DeliveryLog: Sendable {
    /// How an attempt or a delivery ended; the raw value is its word in JSON.
    public enum Outcome: String, Sendable, Encodable, CaseIterable {
        case sent
        /// The sink did not take the message, and gets it again.
        case failed
        case dead
        /// The message was retracted before it was sent.
        case retracted
        /// The sink's cooldown suppressed the message.
        case suppressed
        /// A crash came before the outcome.
        case unanswered
    }

    /// An instant, written to JSON as RFC 3339.
    public struct Moment: Sendable, Encodable {
        /// The instant.
        public let date: Date

        init(_ milliseconds: Int) {
            date = Date(millisecondsSince1970: milliseconds)
        }

        /// Writes the instant in UTC.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
    }

    /// An attempt to deliver a message, or the end of a delivery that was never attempted.
    public struct Entry: Sendable, Encodable {
        /// When the attempt began or the delivery ended.
        public let at: Moment
        /// The sink.
        public let sink: String
        /// The message's key.
        public let messageKey: String
        /// The outcome.
        public let outcome: Outcome
        /// How long the sink took, in milliseconds.
        public let milliseconds: Int?
        /// The sink's response.
        public let response: String?
    }

    /// An alert in a dead letter.
    public struct Dead: Sendable, Encodable {
        /// When the message was given up.
        public let at: Moment
        /// The sink.
        public let sink: String
        /// The message's key, by which it can be sent again.
        public let messageKey: String
        /// The alert's id.
        public let alert: String
        /// The number of attempts.
        public let attempts: Int
        /// The sink's last response.
        public let response: String?
    }

    private let file: LogDatabase

    /// Names a database; opens nothing yet.
    public init(_ file: LogDatabase) {
        self.file = file
    }

    /// Reads the latest entries, oldest first.
    public func entries(of sink: String? = nil, last count: Int) throws -> [Entry] {
        try file.read { _, connection in
            try connection.query(
                """
                select began_at as at, sink, message, milliseconds, response, state from attempt
                where sink = coalesce(?1, sink)
                union all
                select ended_at, sink, alert, null, response, state from delivery
                where attempts = 0 and ended_at is not null and sink = coalesce(?1, sink)
                order by at desc limit ?2
                """, sink, count, as: Int.self, String.self, String.self, Int?.self, String?.self, Int?.self)
        }.reversed().map { at, sink, key, milliseconds, response, state in
            Entry(
                at: Moment(at), sink: sink, messageKey: key, outcome: Self.outcome(state),
                milliseconds: milliseconds, response: response)
        }
    }

    /// Reads all alerts in dead letters, oldest first.
    public func dead(of sink: String? = nil) throws -> [Dead] {
        try file.read { _, connection in
            try connection.query(
                """
                select ended_at, sink, coalesce(message, alert), alert, attempts, response from delivery
                where state = 2 and sink = coalesce(?, sink) order by number
                """, sink, as: Int.self, String.self, String.self, String.self, Int.self, String?.self)
        }.map {
            Dead(at: Moment($0), sink: $1, messageKey: $2, alert: $3, attempts: $4, response: $5)
        }
    }

    private static func outcome(_ state: Int?) -> Outcome {
        switch state.flatMap({ Outbox.State(rawValue: $0) }) {
        case .waiting: .failed
        case .sent: .sent
        case .dead: .dead
        case .retracted: .retracted
        case .suppressed: .suppressed
        case nil: .unanswered
        }
    }
}
