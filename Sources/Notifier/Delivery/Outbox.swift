import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import SQLite
import Text

/// The transactional outbox: the alerts to deliver, by sink, with the outcome of each delivery.
///
/// It is in the log's database, so that an alert and its deliveries are one transaction. Every alert in the log is
/// delivered at least once to each sink configured at that time. An attempt that a crash interrupts is repeated with the
/// same key.
struct Outbox: Sendable {
    /// The state of a delivery; the raw values are in the table.
    enum State: Int, Sendable {
        /// To be sent.
        case waiting = 0
        /// Accepted by the sink.
        case sent = 1
        /// Rejected, or out of attempts: a dead letter, which can be sent again.
        case dead = 2
        /// Retracted before it was sent.
        case withdrawn = 3
        /// Not sent, because of the sink's cooldown.
        case suppressed = 4
    }

    /// `message` is the key of the message that an alert is sent in, `image` the poster that it was first sent
    /// with, and `accepted_by` the recipients that have it while others rejected it, with commas between them.
    /// `poster` has the movies with a known poster.
    static let tables = """
        create table delivery (
            number integer primary key,
            sink text not null,
            alert text not null,
            subject text not null,
            queued_at integer not null,
            state integer not null default 0,
            retracted_by text,
            message text,
            attempts integer not null default 0,
            due_at integer,
            ended_at integer,
            response text,
            image text,
            accepted_by text,
            unique (sink, alert)
        ) strict;
        create index delivery_waiting on delivery (sink, number) where state = 0;
        create index delivery_dead on delivery (sink, number) where state = 2;
        create index delivery_message on delivery (sink, message);
        create index delivery_subject on delivery (sink, subject, queued_at);

        create table attempt (
            number integer primary key,
            sink text not null,
            message text not null,
            began_at integer not null,
            milliseconds integer,
            state integer,
            response text
        ) strict;
        create index attempt_began on attempt (sink, began_at);

        create table poster (
            code text primary key,
            version text not null
        ) strict, without rowid;
        """

    let log: EventLog
    private let configured: Locked<[ConfiguredSink]>
    /// In a dry run, is called with a line for each alert that a sink would get; nothing is written then.
    var dryRun: (@Sendable (String) -> Void)?
    /// Is called after each commit that gives a sink something to send.
    var onNewDeliveries: @Sendable (_ sink: String) -> Void = { _ in }

    /// Makes the outbox of these sinks in the database of `log`.
    init(
        log: EventLog, sinks: [ConfiguredSink], dryRun: (@Sendable (String) -> Void)? = nil,
        onNewDeliveries: @escaping @Sendable (_ sink: String) -> Void = { _ in }
    ) {
        self.log = log
        configured = Locked(sinks)
        self.dryRun = dryRun
        self.onNewDeliveries = onNewDeliveries
    }

    /// The configured sinks; all copies of an outbox have the same.
    var sinks: [ConfiguredSink] { configured.withLock { $0 } }

    /// Replaces the configured sinks. Alerts that enter the log later go to these.
    func replaceSinks(by sinks: [ConfiguredSink]) {
        configured.withLock { $0 = sinks }
    }
}

// MARK: - Enqueuing

extension Outbox {
    /// Adds alerts that enter the log to the outbox, for each sink that accepts them.
    func enqueue(_ alerts: [OutboundAlert], at now: Date, in connection: Connection) throws {
        let sinks = self.sinks
        guard !sinks.isEmpty else { return }
        var sinksToWake: Set<String> = []
        for alert in alerts {
            if let dryRun {
                for sink in sinks where try wouldReceive(alert, sink, at: now, in: connection) {
                    dryRun("\(sink.name): \(alert.id): \(alert.text[sink.language])")
                }
                continue
            }
            for sink in sinks where try enqueue(alert, for: sink, at: now, in: connection) {
                sinksToWake.insert(sink.name)
            }
        }
        connection.afterCommit { [onNewDeliveries, sinksToWake] in sinksToWake.forEach(onNewDeliveries) }
    }

    /// Adds an alert for one sink; returns whether the sink has something new to send.
    private func enqueue(
        _ alert: OutboundAlert, for sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws -> Bool {
        if let retracted = alert.retracts {
            guard try retract(retracted, by: alert.id, from: sink, at: now, in: connection) else { return false }
        } else if !sink.accepts(alert) {
            return false
        }
        let isSuppressed = try alert.retracts == nil && isInCooldown(alert, sink, at: now, in: connection)
        try connection.execute(
            """
            insert or ignore into delivery (sink, alert, subject, queued_at, state, ended_at)
            values (?, ?, ?, ?, ?, ?)
            """, sink.name, alert.id, alert.subject, now.millisecondsSince1970,
            (isSuppressed ? State.suppressed : .waiting).rawValue, isSuppressed ? now.millisecondsSince1970 : nil)
        return !isSuppressed
    }

    /// Whether a sink would get an alert if this were not a dry run.
    private func wouldReceive(
        _ alert: OutboundAlert, _ sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        guard let retracted = alert.retracts else {
            guard sink.accepts(alert) else { return false }
            return try !isInCooldown(alert, sink, at: now, in: connection)
        }
        return try !connection.query(
            "select number from delivery where sink = ? and alert = ? and attempts > 0", sink.name, retracted,
            as: Int.self
        ).isEmpty
    }

    /// Retracts an alert from a sink; returns whether the sink may have received it and so has to get the retraction.
    private func retract(
        _ alert: String, by retraction: String, from sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        let attempts = try connection.query(
            "update delivery set retracted_by = ? where sink = ? and alert = ? returning attempts", retraction,
            sink.name, alert, as: Int.self
        ).first
        // A delivery that was tried goes on: it may have arrived, and the retraction follows it.
        try connection.execute(
            """
            update delivery set state = ?, ended_at = ?
            where sink = ? and alert = ? and (state = ? and attempts = 0 or state = ?)
            """, State.withdrawn.rawValue, now.millisecondsSince1970, sink.name, alert, State.waiting.rawValue,
            State.dead.rawValue)
        return attempts ?? 0 > 0
    }

    /// Whether, within its cooldown, the sink had an alert of the same rule and subject that was not retracted.
    private func isInCooldown(
        _ alert: OutboundAlert, _ sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> Bool {
        guard let cooldown = sink.cooldown else { return false }
        let earlier = try connection.query(
            """
            select number from delivery
            where sink = ? and subject = ? and queued_at > ? and queued_at <= ?
                and state not in (?, ?) and retracted_by is null
            limit 1
            """, sink.name, alert.subject, (now - cooldown.seconds).millisecondsSince1970, now.millisecondsSince1970,
            State.withdrawn.rawValue, State.suppressed.rawValue, as: Int.self)
        return !earlier.isEmpty
    }
}

// MARK: - Posters

extension Outbox {
    /// Stores which movies have a poster, by its version in the board's URLs; nil for a movie without one.
    func save(_ posters: [MovieCode: String?], in connection: Connection) throws(DatabaseError) {
        for (code, version) in posters {
            if let version {
                try connection.execute(
                    "insert into poster values (?, ?) on conflict do update set version = excluded.version",
                    code.description, version)
            } else {
                try connection.execute("delete from poster where code = ?", code.description)
            }
        }
    }
}

// MARK: - Maintenance

/// The number of a sink's deliveries in each state.
struct SinkCounts: Hashable, Sendable, Encodable {
    /// Waiting to be sent.
    var waiting = 0
    /// Accepted by the sink.
    var sent = 0
    /// In dead letters.
    var dead = 0
}

extension Outbox {
    /// A selection of dead letters.
    enum DeadLetters: Hashable, Sendable {
        case of(sink: String)
        case withKey(String)
    }

    /// Makes dead letters of the deliveries that wait for sinks that are no longer configured.
    ///
    /// If such a sink is configured again, it does not get old news.
    ///
    /// - Parameter busy: sinks to leave out, because a worker may still send one of their messages.
    func closeRemovedSinks(
        except busy: Set<String> = [], at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        let kept = busy.union(sinks.map(\.name))
        let waiting = try connection.query("select distinct sink from delivery where state = 0", as: String.self)
        for sink in waiting where !kept.contains(sink) {
            try connection.execute(
                "update delivery set state = ?, ended_at = ?, response = ? where sink = ? and state = 0",
                State.dead.rawValue, now.millisecondsSince1970, "no sink of this name is configured any more", sink)
        }
    }

    /// Makes dead letters wait again, with the keys that they had; returns the number of alerts by sink.
    ///
    /// Dead letters of sinks that are no longer configured stay dead.
    func requeue(_ dead: DeadLetters, in connection: Connection) throws(DatabaseError) -> [String: Int] {
        var requeued: [String: Int] = [:]
        for sink in sinks {
            let key: String?
            switch dead {
            case .of(let name) where name != sink.name: continue
            case .of: key = nil
            case .withKey(let letter): key = letter
            }
            // A letter that was tried keeps one attempt: it may have arrived, and a retraction has to follow it.
            let rows = try connection.query(
                """
                update delivery set state = 0, attempts = min(attempts, 1), due_at = null, ended_at = null
                where sink = ? and state = 2 and coalesce(message, alert) = coalesce(?, message, alert) returning number
                """, sink.name, key, as: Int.self)
            if !rows.isEmpty { requeued[sink.name] = rows.count }
        }
        connection.afterCommit { [onNewDeliveries] in requeued.keys.forEach(onNewDeliveries) }
        return requeued
    }

    /// Returns the counts of each sink; every configured sink has an entry.
    func counts(in connection: Connection) throws(DatabaseError) -> [String: SinkCounts] {
        var counts = Dictionary(uniqueKeysWithValues: sinks.map { ($0.name, SinkCounts()) })
        let rows = try connection.query(
            "select sink, state, count(*) from delivery group by sink, state", as: String.self, Int.self, Int.self)
        for (sink, state, count) in rows {
            switch State(rawValue: state) {
            case .waiting: counts[sink, default: SinkCounts()].waiting = count
            case .sent: counts[sink, default: SinkCounts()].sent = count
            case .dead: counts[sink, default: SinkCounts()].dead = count
            case .withdrawn, .suppressed, nil: break
            }
        }
        return counts
    }
}
