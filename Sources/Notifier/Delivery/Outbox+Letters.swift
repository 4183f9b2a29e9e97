import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite

extension Outbox {
    /// A letter in hand: what it says, and the attempt that is being made.
    struct ActiveAttempt: Sendable {
        let letter: SinkMessage
        /// Which attempt it is of all.
        let number: Int
        /// Which it is of this letter.
        let attempts: Int
    }

    /// What became of an attempt.
    enum Outcome: Hashable, Sendable {
        case sent
        case dead
        case again(at: Date)
    }

    /// What waits for a sink, in order, as much as one letter can hold, and what its past says.
    func waiting(
        for recipient: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> ([DeliveryPolicy.Waiting], DeliveryPolicy.Past) {
        let waiting = try connection.query(
            """
            select number, alert, queued_at, letter, attempts, due_at from delivery
            where sink = ? and state = 0 order by number limit ?
            """, recipient.name, DeliveryPolicy.letterSize, as: Int.self, String.self, Int.self, String?.self, Int.self,
            Int?.self
        ).map {
            DeliveryPolicy.Waiting(
                number: $0, alert: $1, queuedAt: Date(milliseconds: $2), letter: $3, attempts: $4,
                dueAt: $5.map(Date.init(milliseconds:)))
        }
        var past = DeliveryPolicy.Past()
        if let rate = recipient.timetable.rate {
            past.attempts = try connection.query(
                "select began_at from attempt where sink = ? and began_at > ? order by began_at desc limit ?",
                recipient.name, (now - rate.span.seconds).milliseconds, rate.count, as: Int.self
            ).map(Date.init(milliseconds:))
        }
        let prefix = recipient.timetable.digestPrefix
        past.lastDigest = try connection.query(
            "select max(letter) from delivery where sink = ? and letter >= ? and letter < ?", recipient.name, prefix,
            prefix + "~", as: String?.self
        )[0].flatMap { KoreanDate($0.dropFirst(prefix.count)) }
        return (waiting, past)
    }

    /// Begins an attempt, and books it before it is made: a letter that was tried may have arrived. Nothing begins if an
    /// alert of it no longer waits, because it was taken back.
    func begin(
        _ key: String, _ waiting: [DeliveryPolicy.Waiting], for recipient: ConfiguredSink, at now: Date,
        in connection: Connection
    ) throws -> ActiveAttempt? {
        for row in waiting {
            let states = try connection.query("select state from delivery where number = ?", row.number, as: Int.self)
            guard states == [State.waiting.rawValue] else { return nil }
        }
        for row in waiting {
            try connection.execute(
                "update delivery set letter = ?, attempts = ?, due_at = null where number = ?", key, row.attempts + 1,
                row.number)
        }
        let number = try connection.query(
            "insert into attempt (sink, letter, began_at) values (?, ?, ?) returning number", recipient.name, key,
            now.milliseconds, as: Int.self)[0]
        let alerts = try waiting.compactMap { try log.event(id: $0.alert, in: connection).map(OutboundAlert.init) }
        guard alerts.count == waiting.count else { throw Missing(letter: key) }
        return ActiveAttempt(
            letter: SinkMessage(key: key, alerts: alerts), number: number, attempts: (waiting.first?.attempts ?? 0) + 1)
    }

    /// Writes down how an attempt went.
    func settle(
        _ inHand: ActiveAttempt, for recipient: ConfiguredSink, as outcome: Outcome, answer: String, took: Duration,
        at now: Date,
        in connection: Connection
    ) throws(DatabaseError) {
        let state: State
        var dueAt: Int?
        switch outcome {
        case .sent: state = .sent
        case .dead: state = .dead
        case .again(let date):
            state = .waiting
            dueAt = date.milliseconds
        }
        try connection.execute(
            "update attempt set milliseconds = ?, state = ?, answer = ? where number = ?",
            Int(took / .milliseconds(1)), state.rawValue, answer, inHand.number)
        // What was taken back meanwhile and did not arrive stays waiting: what takes it back goes behind it.
        try connection.execute(
            """
            update delivery set state = ?, due_at = ?, ended_at = ?, answer = ?
            where sink = ? and letter = ? and state = 0
            """, state.rawValue, dueAt, state == .waiting ? nil : now.milliseconds, answer, recipient.name,
            inHand.letter.key)
    }

    /// An alert that is to be delivered is not in the log.
    private struct Missing: Error, CustomStringConvertible {
        let letter: String
        var description: String { "an alert of the letter \(letter) is not in the log" }
    }
}
