import BoxOffice
import Events
import FoundationEssentials
import Health
import Operations
import SQLite

/// The notifier's memory: the charts it knows and the alerts it decided, in one database, changed in whole transactions.
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
                """
            ]),
        HealthCheck.schema)

    let database: Database
    let log: EventLog
    let clock: WallClock
    let publish: @Sendable ([LoggedEvent]) -> Void
    var crashPoints = CrashPoints.none

    /// The known charts from `day` on, or of the newest two days, oldest first.
    func charts(since day: KoreanDate?) async throws -> [LoggedChart] {
        try await database.read { connection in
            let newest = try connection.query("select max(date) from known_chart", as: String?.self)[0]
            guard let newest = newest.flatMap({ KoreanDate($0) }) else { return [] }
            let first = min(day ?? newest, newest) - 1
            return try connection.query(
                "select sequence, chart from known_chart where date >= ? order by date", first.description,
                as: SequenceNumber.self, [UInt8].self
            ).map { sequence, chart in
                LoggedChart(try JSON.decode(from: chart), at: Alert.Evidence(stream: .ranking, sequence: sequence))
            }
        }
    }

    /// Whether an event tells nothing new about its day: it, or a later one of the same log, was read before.
    func hasRead(_ event: Event, about date: KoreanDate) async throws -> Bool {
        try await database.read { connection in
            let known = try connection.query(
                "select epoch, sequence from known_chart where date = ?", date.description, as: String.self,
                SequenceNumber.self
            ).first
            return known.map { $0.0 == event.epoch && $0.1 >= event.sequence } ?? false
        }
    }

    /// Writes what an event said and what was decided on it, and returns the alerts that were not decided before.
    func record(_ chart: LoggedChart, from event: Event, alerts: [Alert]) async throws -> [Alert] {
        let now = clock.now()
        return try await database.write { connection in
            try connection.execute(
                "insert or replace into known_chart (date, epoch, sequence, chart) values (?, ?, ?, ?)",
                chart.chart.date.description, event.epoch, event.sequence, try JSON.encode(chart.chart))
            let new = try alerts.filter { try log.event(id: $0.id, in: connection) == nil }
            let drafts = try new.map { alert in
                try EventDraft(
                    .alert(rule: alert.rule, code: alert.movieCode, date: alert.date), id: alert.id,
                    correlationID: event.correlationID, encoding: alert)
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
}
