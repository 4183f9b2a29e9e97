import EventStore
import FoundationEssentials
import SQLite

/// The alerts on their way to people, on disk, until and after their end.
///
/// It lives in the log's database, so that an alert and its deliveries are one transaction: what is in the log goes out,
/// to each sink that is there at the time, at least once. What is in hand at a crash goes out again under the same key.
struct Outbox: Sendable {
    /// How far a delivery has come; the raw values are in the table.
    enum State: Int, Sendable {
        /// To be sent.
        case waiting = 0
        /// The sink has taken it.
        case sent = 1
        /// Refused, or tried too often: a dead letter, which can be sent again.
        case dead = 2
        /// Taken back before it was sent.
        case withdrawn = 3
        /// Not sent, because the sink has just had one like it.
        case suppressed = 4
    }

    static let schema = Schema.Component(
        "outbox",
        migrations: [
            """
            create table delivery (
                number integer primary key,
                sink text not null,
                alert text not null,
                subject text not null,
                queued_at integer not null,
                state integer not null default 0,
                taken_back_by text,
                letter text,
                attempts integer not null default 0,
                due_at integer,
                ended_at integer,
                answer text,
                unique (sink, alert)
            ) strict;
            create index delivery_waiting on delivery (sink, number) where state = 0;
            create index delivery_dead on delivery (sink, number) where state = 2;
            create index delivery_letter on delivery (sink, letter);
            create index delivery_subject on delivery (sink, subject, queued_at);

            create table attempt (
                number integer primary key,
                sink text not null,
                letter text not null,
                began_at integer not null,
                milliseconds integer,
                state integer,
                answer text
            ) strict;
            create index attempt_began on attempt (sink, began_at);
            """
        ])

    let log: EventLog
    /// Who gets letters.
    let recipients: [ConfiguredSink]
    /// Told what would go, where nothing is to go and nothing is written.
    var dryRun: (@Sendable (String) -> Void)?
    /// Told of who gets something new, once it is on disk.
    var news: @Sendable (_ sink: String) -> Void = { _ in }

    /// Puts alerts that enter the log into the outbox, for each sink that wants them.
    func enqueue(_ alerts: [OutboundAlert], at now: Date, in connection: Connection) throws {
        guard !recipients.isEmpty else { return }
        var woken: Set<String> = []
        for alert in alerts {
            if let dryRun {
                for recipient in recipients where try wouldGet(alert, recipient, at: now, in: connection) {
                    dryRun("\(recipient.name): \(alert.id): \(alert.text[recipient.language])")
                }
                continue
            }
            for recipient in recipients where try enqueue(alert, for: recipient, at: now, in: connection) {
                woken.insert(recipient.name)
            }
        }
        connection.afterCommit { [news, woken] in woken.forEach(news) }
    }

    /// Whether there is something new to send to a sink.
    private func enqueue(
        _ alert: OutboundAlert, for recipient: ConfiguredSink, at now: Date, in connection: Connection
    ) throws -> Bool {
        if let retracted = alert.retracts {
            guard try takeBack(retracted, by: alert.id, from: recipient, at: now, in: connection) else { return false }
        } else if !recipient.wants(alert) {
            return false
        }
        let isSpared = try alert.retracts == nil && hasHadOne(like: alert, recipient, at: now, in: connection)
        try connection.execute(
            """
            insert or ignore into delivery (sink, alert, subject, queued_at, state, ended_at)
            values (?, ?, ?, ?, ?, ?)
            """, recipient.name, alert.id, alert.subject, now.milliseconds,
            (isSpared ? State.suppressed : .waiting).rawValue, isSpared ? now.milliseconds : nil)
        return !isSpared
    }

    /// Whether a sink would get an alert if this were no rehearsal.
    private func wouldGet(
        _ alert: OutboundAlert, _ recipient: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        guard let retracted = alert.retracts else {
            guard recipient.wants(alert) else { return false }
            return try !hasHadOne(like: alert, recipient, at: now, in: connection)
        }
        return try !connection.query(
            "select number from delivery where sink = ? and alert = ? and attempts > 0", recipient.name, retracted,
            as: Int.self
        ).isEmpty
    }

    /// Takes an alert back from a sink; returns whether that may have got it, and so has to be told.
    private func takeBack(
        _ alert: String, by retraction: String, from recipient: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        let attempts = try connection.query(
            "update delivery set taken_back_by = ? where sink = ? and alert = ? returning attempts", retraction,
            recipient.name, alert, as: Int.self
        ).first
        // One that is being tried goes on: it may have arrived, and what takes it back goes behind it.
        try connection.execute(
            """
            update delivery set state = ?, ended_at = ?
            where sink = ? and alert = ? and (state = ? and attempts = 0 or state = ?)
            """, State.withdrawn.rawValue, now.milliseconds, recipient.name, alert, State.waiting.rawValue,
            State.dead.rawValue)
        return attempts ?? 0 > 0
    }

    /// Whether a sink had an alert of the same rule about the same film within its cooldown, one that still holds.
    private func hasHadOne(
        like alert: OutboundAlert, _ recipient: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        guard let cooldown = recipient.cooldown else { return false }
        let earlier = try connection.query(
            """
            select number from delivery
            where sink = ? and subject = ? and queued_at > ? and queued_at <= ?
                and state not in (?, ?) and taken_back_by is null
            limit 1
            """, recipient.name, alert.subject, (now - cooldown.seconds).milliseconds, now.milliseconds,
            State.withdrawn.rawValue, State.suppressed.rawValue, as: Int.self)
        return !earlier.isEmpty
    }
}

extension Date {
    /// The instant as the outbox keeps it.
    var milliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }

    /// The instant that the outbox kept.
    init(milliseconds: Int) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
