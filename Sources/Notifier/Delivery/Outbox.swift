import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import Storage
import Text

/// The transactional outbox, in the log's database: the alerts to deliver, by sink, with the outcome of each delivery. Each
/// is delivered at least once; an attempt that a crash interrupts is repeated with the same key.
struct Outbox: Sendable {
    /// The state of a delivery; the raw values are in the table.
    enum State: Int, Sendable {
        case waiting = 0
        case sent = 1
        /// Rejected, or out of attempts: a dead letter, which can be sent again.
        case dead = 2
        /// Retracted before it was sent.
        case retracted = 3
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
    let dryRun: (@Sendable (String) -> Void)?
    /// Is called after each commit that gives a sink something to send.
    let onNewDeliveries: @Sendable (_ sink: String) -> Void

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

    func replaceSinks(by sinks: [ConfiguredSink]) {
        configured.withLock { $0 = sinks }
    }

    // MARK: Enqueuing

    func enqueue(_ alerts: [OutboundAlert], at now: Date, in connection: Connection) throws {
        let sinks = self.sinks
        guard !sinks.isEmpty else { return }
        var sinksToWake: Set<String> = []
        for alert in alerts {
            for sink in sinks {
                if dryRun == nil, let retracted = alert.data.retracts {
                    try retract(retracted, by: alert.id, from: sink, at: now, in: connection)
                }
                guard let state = try state(of: alert, for: sink, at: now, in: connection) else { continue }
                if let dryRun {
                    if state == .waiting { dryRun("\(sink.name): \(alert.id): \(alert.data.text[sink.language])") }
                    continue
                }
                try connection.execute(
                    """
                    insert into delivery (sink, alert, subject, queued_at, state, ended_at) values (?, ?, ?, ?, ?, ?)
                    on conflict do nothing
                    """, sink.name, alert.id, alert.subject, now.millisecondsSince1970, state.rawValue,
                    state == .suppressed ? now.millisecondsSince1970 : nil)
                if state == .waiting { sinksToWake.insert(sink.name) }
            }
        }
        connection.afterCommit { [onNewDeliveries, sinksToWake] in sinksToWake.forEach(onNewDeliveries) }
    }

    /// Returns the first state of an alert's delivery; nil if the sink does not get the alert.
    private func state(
        of alert: OutboundAlert, for sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) -> State? {
        guard let retracted = alert.data.retracts else {
            guard sink.accepts(alert) else { return nil }
            return try isInCooldown(alert, sink, at: now, in: connection) ? .suppressed : .waiting
        }
        // Only a sink that may have received the alert gets its retraction.
        let attempts = try connection.query(
            "select attempts from delivery where sink = ? and alert = ?", sink.name, retracted, as: Int.self
        ).first
        return attempts ?? 0 > 0 ? .waiting : nil
    }

    /// Records a retraction, and ends the delivery of an alert that was not sent. A delivery that was tried goes on: it may have
    /// arrived, and the retraction follows it.
    private func retract(
        _ alert: String, by retraction: String, from sink: ConfiguredSink, at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        try connection.execute(
            "update delivery set retracted_by = ? where sink = ? and alert = ?", retraction, sink.name, alert)
        try connection.execute(
            """
            update delivery set state = ?, ended_at = ?
            where sink = ? and alert = ? and (state = ? and attempts = 0 or state = ?)
            """, State.retracted.rawValue, now.millisecondsSince1970, sink.name, alert, State.waiting.rawValue,
            State.dead.rawValue)
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
            State.retracted.rawValue, State.suppressed.rawValue, as: Int.self)
        return !earlier.isEmpty
    }

    // MARK: Posters

    /// Stores which movies have a poster, by its version in the board's URLs; nil for a movie without one.
    func save(_ posters: [MovieCode: String?], in connection: Connection) throws(DatabaseError) {
        for (code, version) in posters {
            if let version {
                try connection.execute(
                    "insert into poster values (?, ?) on conflict (code) do update set version = excluded.version",
                    code.description, version)
            } else {
                try connection.execute("delete from poster where code = ?", code.description)
            }
        }
    }

    // MARK: Attempts

    struct ActiveAttempt: Sendable {
        let message: SinkMessage
        let row: Int
        /// The number of attempts to deliver this message so far, with this one.
        let count: Int
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

    /// Writes the beginning of an attempt. Returns nil if one of the alerts no longer waits, because it was retracted, or
    /// cannot be read: that one is a dead letter now, so that it does not delay those behind it.
    func begin(
        _ key: String, _ waiting: [DeliveryPolicy.WaitingAlert], for sink: ConfiguredSink, at now: Date,
        in connection: Connection, onUnreadable: (_ alert: String) -> Void
    ) throws -> ActiveAttempt? {
        var alerts: [OutboundAlert] = []
        for row in waiting {
            let states = try connection.query("select state from delivery where number = ?", row.number, as: Int.self)
            guard states == [State.waiting.rawValue] else { return nil }
            // A newer notifier may have written what this one cannot read.
            guard let alert = try log.event(id: row.alert, in: connection).flatMap({ try? OutboundAlert($0) }) else {
                try connection.execute(
                    "update delivery set state = ?, ended_at = ?, response = ? where number = ?", State.dead.rawValue,
                    now.millisecondsSince1970, "the alert cannot be read", row.number)
                onUnreadable(row.alert)
                return nil
            }
            alerts.append(alert)
        }
        var acceptedBy: String?
        for (index, row) in waiting.enumerated() {
            // Written before the message is sent: after a crash, a message that was tried counts as possibly received.
            // The first attempt fixes the poster, because a repeated message must be the same.
            (alerts[index].poster, acceptedBy) = try connection.query(
                """
                update delivery set message = ?1, attempts = ?2, due_at = null, image = case
                    when attempts = 0 then (select code || '/' || version from poster where code = ?3) else image end
                where number = ?4 returning image, accepted_by
                """, key, row.attempts + 1, alerts[index].data.movieCode?.description, row.number, as: String?.self,
                String?.self)[0]
        }
        let row = try connection.query(
            "insert into attempt (sink, message, began_at) values (?, ?, ?) returning number", sink.name, key,
            now.millisecondsSince1970, as: Int.self)[0]
        let message = SinkMessage(
            key: key, alerts: alerts, acceptedBy: acceptedBy?.split(separator: ",").map(String.init) ?? [])
        return ActiveAttempt(message: message, row: row, count: (waiting.first?.attempts ?? 0) + 1)
    }

    /// Writes the outcome of an attempt; with `state` waiting, the message is sent again at `dueAt`.
    func finish(
        _ attempt: ActiveAttempt, for sink: ConfiguredSink, as state: State, dueAt: Date?, response: SinkResponse,
        duration: Duration, at now: Date, in connection: Connection
    ) throws(DatabaseError) {
        try connection.execute(
            "update attempt set milliseconds = ?, state = ?, response = ? where number = ?",
            Int(duration / .milliseconds(1)), state.rawValue, response.text, attempt.row)
        let acceptedBy = attempt.message.acceptedBy + response.acceptedBy
        // An alert that was retracted meanwhile and did not arrive keeps waiting: the retraction follows it.
        try connection.execute(
            """
            update delivery set state = ?, due_at = ?, ended_at = ?, response = ?, accepted_by = nullif(?, '')
            where sink = ? and message = ? and state = 0
            """, state.rawValue, dueAt?.millisecondsSince1970, state == .waiting ? nil : now.millisecondsSince1970,
            response.text, acceptedBy.joined(separator: ","), sink.name, attempt.message.key)
    }
}
