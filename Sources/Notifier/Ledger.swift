import BoxOffice
import Events
import FoundationEssentials
import Health
import Operations
import SQLite

/// The notifier's memory on disk: how far it has read, the charts it knows and the alerts it decided, in one database,
/// changed in whole transactions.
///
/// An alert is in the log once, by its id, whatever is read again. New ones are handed to `publish` right after the
/// commit that made them.
struct Ledger: Sendable {
    static let schema = Schema(
        EventLog.schema,
        Schema.Component(
            "ledger",
            migrations: [
                """
                create table known_chart (
                    date text primary key,
                    epoch text not null,
                    sequence integer not null,
                    chart blob not null
                ) strict, without rowid;
                """,
                """
                create table reading (
                    id integer primary key check (id = 1),
                    began text not null,
                    position blob,
                    since text,
                    newest_day text
                ) strict;
                """,
                "alter table reading add column has_caught_up integer not null default 0;",
            ]),
        Outbox.schema, HealthCheck.schema)

    let database: Database
    let log: EventLog
    let clock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    var crashPoints = CrashPoints.none

    /// What was known at the last write, to go on with by these rules.
    ///
    /// If alerts are asked for from another day on than before, the log is read again from its beginning: what was
    /// decided then is not decided twice.
    func recall(rules: AlertRules, since: KoreanDate?) async throws -> Memory {
        let now = clock.now()
        return try await database.write { connection in
            if let memory = try recall(rules: rules, since: since, in: connection) { return memory }
            let began = try connection.query("select began from reading", as: String.self).first
            let memory = Memory(
                decider: AlertDecider(rules: rules, since: since), since: since,
                began: try began.map { try Date($0, strategy: Self.instants) } ?? now)
            try writeAll(of: memory, in: connection)
            return memory
        }
    }

    private func recall(rules: AlertRules, since: KoreanDate?, in connection: Connection) throws -> Memory? {
        let row = try connection.query(
            "select began, position, since, newest_day, has_caught_up from reading", as: String.self, [UInt8]?.self,
            String?.self, String?.self, Int.self
        ).first
        guard let (began, position, earlierSince, newestDay, hasCaughtUp) = row,
            since == nil || since?.description == earlierSince
        else { return nil }
        var decider = AlertDecider(rules: rules, since: since, newestDay: newestDay.flatMap { KoreanDate($0) })
        let charts = try connection.query(
            "select sequence, chart from known_chart order by date", as: SequenceNumber.self, [UInt8].self)
        for (sequence, chart) in charts {
            let evidence = Alert.Evidence(stream: .ranking, sequence: sequence)
            decider.learn(LoggedChart(try JSON.decode(from: chart), at: evidence))
        }
        return Memory(
            decider: decider, position: try position.map { try JSON.decode(from: $0) }, since: since,
            began: try Date(began, strategy: Self.instants), hasCaughtUp: hasCaughtUp == 1)
    }

    /// Writes what was decided on a chart and all that follows for the memory, and returns the alerts that were not
    /// decided before.
    func record(
        _ alerts: [Alert], on chart: LoggedChart, for request: RequestID?, then memory: Memory
    ) async throws -> [Alert] {
        let now = clock.now()
        return try await database.write { connection in
            if memory.hasUnwrittenCharts {
                try writeAll(of: memory, in: connection)
            } else {
                try write(chart, of: memory, in: connection)
                if let horizon = memory.decider.horizon {
                    try connection.execute("delete from known_chart where date < ?", horizon.description)
                }
                try writeReading(of: memory, in: connection)
            }
            let new = try alerts.filter { try log.event(id: $0.id, in: connection) == nil }
            let drafts = try new.map { alert in
                try EventDraft(
                    .alert(rule: alert.rule, code: alert.movieCode, date: alert.date), id: alert.id,
                    correlationID: request, encoding: alert)
            }
            let events = try log.append(drafts, at: now, in: connection)
            crashPoints.reach(.settled)
            connection.afterCommit {
                crashPoints.reach(.committed)
                publish(events)
                crashPoints.reach(.published)
            }
            return new
        }
    }

    /// Writes the whole memory anew.
    func keep(_ memory: Memory) async throws {
        try await database.write { connection in try writeAll(of: memory, in: connection) }
    }
}

extension Ledger {
    private static let instants = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private func writeAll(of memory: Memory, in connection: Connection) throws {
        try connection.execute("delete from known_chart")
        for chart in memory.decider.charts { try write(chart, of: memory, in: connection) }
        try writeReading(of: memory, in: connection)
    }

    private func write(_ chart: LoggedChart, of memory: Memory, in connection: Connection) throws {
        try connection.execute(
            "insert or replace into known_chart (date, epoch, sequence, chart) values (?, ?, ?, ?)",
            chart.chart.date.description, memory.position?.epoch ?? "", chart.position.sequence,
            try JSON.encode(chart.chart))
    }

    private func writeReading(of memory: Memory, in connection: Connection) throws {
        try connection.execute(
            """
            insert or replace into reading (id, began, position, since, newest_day, has_caught_up)
            values (1, ?, ?, ?, ?, ?)
            """, memory.began.formatted(Self.instants), try memory.position.map { try JSON.encode($0) },
            memory.since?.description, memory.decider.newestDay?.description, memory.hasCaughtUp ? 1 : 0)
    }
}
