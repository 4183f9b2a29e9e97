public import EventStore
public import FoundationEssentials
import SQLite

/// What became of alerts on their way to people, read from the notifier's database while the notifier runs or not.
public struct DeliveryLog: Sendable {
    /// An instant, in JSON as RFC 3339 has it.
    public struct Moment: Sendable, Encodable {
        /// The instant itself.
        public let date: Date

        fileprivate init(_ milliseconds: Int) {
            date = Date(milliseconds: milliseconds)
        }

        /// Writes the instant in UTC.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
    }

    /// An attempt to deliver a letter, or the end of one that was never tried.
    public struct Entry: Sendable, Encodable {
        /// When it was.
        public let at: Moment
        /// The sink.
        public let sink: String
        /// The letter's key.
        public let letter: String
        /// How it went: `sent`, `failed`, `dead`, `withdrawn`, `spared`, or `unanswered` if no answer was written down.
        public let outcome: String
        /// How long the sink took, in milliseconds.
        public let milliseconds: Int?
        /// What the sink answered.
        public let answer: String?
    }

    /// An alert in a dead letter.
    public struct Dead: Sendable, Encodable {
        /// When the letter was given up.
        public let at: Moment
        /// The sink.
        public let sink: String
        /// The letter's key, by which it can be sent again.
        public let letter: String
        /// The alert's id.
        public let alert: String
        /// How often the letter was tried.
        public let attempts: Int
        /// What the sink answered last.
        public let answer: String?
    }

    private let file: LogDatabase

    /// Names a database; nothing is opened yet.
    public init(_ file: LogDatabase) {
        self.file = file
    }

    /// The latest entries, oldest first, of one sink or of all.
    public func entries(of sink: String? = nil, last count: Int) throws -> [Entry] {
        try file.read { _, connection in
            try connection.query(
                """
                select began_at as at, sink, letter, milliseconds, answer, state, 1 from attempt
                where sink = coalesce(?1, sink)
                union all
                select ended_at, sink, alert, null, answer, state, 0 from delivery
                where attempts = 0 and ended_at is not null and sink = coalesce(?1, sink)
                order by at desc limit ?2
                """, sink, count, as: Int.self, String.self, String.self, Int?.self, String?.self, Int?.self, Int.self)
        }.reversed().map { at, sink, letter, milliseconds, answer, state, isAttempt in
            Entry(
                at: Moment(at), sink: sink, letter: letter, outcome: Self.word(state, isAttempt == 1),
                milliseconds: milliseconds, answer: answer)
        }
    }

    /// All dead letters, oldest first, of one sink or of all.
    public func dead(of sink: String? = nil) throws -> [Dead] {
        try file.read { _, connection in
            try connection.query(
                """
                select ended_at, sink, coalesce(letter, alert), alert, attempts, answer from delivery
                where state = 2 and sink = coalesce(?, sink) order by number
                """, sink, as: Int.self, String.self, String.self, String.self, Int.self, String?.self)
        }.map {
            Dead(at: Moment($0), sink: $1, letter: $2, alert: $3, attempts: $4, answer: $5)
        }
    }

    private static func word(_ state: Int?, _ isAttempt: Bool) -> String {
        switch state.flatMap({ Outbox.State(rawValue: $0) }) {
        case .waiting: "failed"
        case .sent: "sent"
        case .dead: "dead"
        case .withdrawn: "withdrawn"
        case .suppressed: "spared"
        case nil: "unanswered"
        }
    }
}
