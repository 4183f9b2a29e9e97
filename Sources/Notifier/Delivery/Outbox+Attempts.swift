import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite
import Text

extension Outbox {
    /// An attempt that is being made.
    struct ActiveAttempt: Sendable {
        let message: SinkMessage
        /// The attempt's row in the table.
        let row: Int
        /// The number of attempts to deliver this message so far, with this one.
        let count: Int
    }

    /// The outcome of an attempt.
    enum Outcome: Hashable, Sendable {
        case sent
        case dead
        case retry(at: Date)
    }

    /// Reads the alerts that wait for a sink, in order and at most as many as one message can hold, and what was sent.
    func waiting(
        for sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> ([DeliveryPolicy.WaitingAlert], DeliveryPolicy.SendHistory) {
        let waiting = try connection.query(
            """
            select number, alert, queued_at, message, attempts, due_at from delivery
            where sink = ? and state = 0 order by number limit ?
            """, sink.name, DeliveryPolicy.maximumAlertsPerMessage, as: Int.self, String.self, Int.self, String?.self,
            Int.self, Int?.self
        ).map {
            DeliveryPolicy.WaitingAlert(
                number: $0, alert: $1, queuedAt: Date(millisecondsSince1970: $2), messageKey: $3, attempts: $4,
                dueAt: $5.map(Date.init(millisecondsSince1970:)))
        }
        var history = DeliveryPolicy.SendHistory()
        if let rate = sink.policy.rate {
            history.attempts = try connection.query(
                "select began_at from attempt where sink = ? and began_at > ? order by began_at desc limit ?",
                sink.name, (now - rate.span.seconds).millisecondsSince1970, rate.count, as: Int.self
            ).map(Date.init(millisecondsSince1970:))
        }
        let prefix = sink.policy.digestPrefix
        history.lastDigest = try connection.query(
            "select max(message) from delivery where sink = ? and message >= ? and message < ?", sink.name, prefix,
            prefix + "~", as: String?.self
        )[0].flatMap { KoreanDate($0.dropFirst(prefix.count)) }
        return (waiting, history)
    }

    /// Writes the beginning of an attempt. Returns nil if one of the alerts no longer waits, because it was retracted.
    ///
    /// - Throws: ``UnreadableAlertError`` or an error of the database.
    func begin(
        _ key: String, _ waiting: [DeliveryPolicy.WaitingAlert], for sink: ConfiguredSink, at now: Date,
        in connection: Connection
    ) throws -> ActiveAttempt? {
        for row in waiting {
            let states = try connection.query("select state from delivery where number = ?", row.number, as: Int.self)
            guard states == [State.waiting.rawValue] else { return nil }
        }
        var acceptedBy: String?
        let alerts = try waiting.map { row in
            var alert = try readAlert(of: row, in: connection)
            // Written before the message is sent: after a crash, a message that was tried counts as possibly received.
            // The first attempt fixes the poster, because a repeated message must be the same.
            (alert.poster, acceptedBy) = try connection.query(
                """
                update delivery set message = ?1, attempts = ?2, due_at = null, image = case
                    when attempts = 0 then (select code || '/' || version from poster where code = ?3) else image end
                where number = ?4 returning image, accepted_by
                """, key, row.attempts + 1, alert.movieCode?.description, row.number, as: String?.self, String?.self)[0]
            return alert
        }
        let row = try connection.query(
            "insert into attempt (sink, message, began_at) values (?, ?, ?) returning number", sink.name, key,
            now.millisecondsSince1970, as: Int.self)[0]
        let message = SinkMessage(
            key: key, alerts: alerts, acceptedBy: acceptedBy?.split(separator: ",").map(String.init) ?? [])
        return ActiveAttempt(message: message, row: row, count: (waiting.first?.attempts ?? 0) + 1)
    }

    private func readAlert(
        of row: DeliveryPolicy.WaitingAlert, in connection: Connection
    ) throws -> OutboundAlert {
        guard let event = try log.event(id: row.alert, in: connection) else {
            throw UnreadableAlertError(row: row.number, alert: row.alert, reason: "the alert log has no such event")
        }
        do throws(DecodingError) {
            return try OutboundAlert(event)
        } catch {
            throw UnreadableAlertError(row: row.number, alert: row.alert, reason: "the alert cannot be read: \(error)")
        }
    }

    /// Makes a dead letter of an alert that cannot be read, so that it does not delay those behind it.
    func giveUp(_ error: UnreadableAlertError, at now: Date, in connection: Connection) throws(DatabaseError) {
        try connection.execute(
            "update delivery set state = ?, ended_at = ?, response = ? where number = ?", State.dead.rawValue,
            now.millisecondsSince1970, error.reason, error.row)
    }

    /// Writes the outcome of an attempt.
    ///
    /// - Parameters:
    ///   - response: what the sink answered.
    ///   - duration: how long the sink took.
    func finish(
        _ attempt: ActiveAttempt, for sink: ConfiguredSink, as outcome: Outcome, response: SinkResponse,
        duration: Duration, at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        let state: State
        var dueAt: Int?
        switch outcome {
        case .sent: state = .sent
        case .dead: state = .dead
        case .retry(let date):
            state = .waiting
            dueAt = date.millisecondsSince1970
        }
        try connection.execute(
            "update attempt set milliseconds = ?, state = ?, response = ? where number = ?",
            Int(duration / .milliseconds(1)), state.rawValue, response.text, attempt.row)
        let acceptedBy = attempt.message.acceptedBy + response.acceptedBy
        // An alert that was retracted meanwhile and did not arrive keeps waiting: the retraction follows it.
        try connection.execute(
            """
            update delivery set state = ?, due_at = ?, ended_at = ?, response = ?, accepted_by = nullif(?, '')
            where sink = ? and message = ? and state = 0
            """, state.rawValue, dueAt, state == .waiting ? nil : now.millisecondsSince1970, response.text,
            acceptedBy.joined(separator: ","), sink.name, attempt.message.key)
    }

    /// An alert to be delivered is not in the log, or cannot be read.
    struct UnreadableAlertError: Error {
        /// The delivery's row.
        let row: Int
        /// The alert's id.
        let alert: String
        /// What is wrong with it.
        let reason: String
    }
}
