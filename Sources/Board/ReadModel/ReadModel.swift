import Concurrency
import Contract
import FoundationEssentials
import Health
import JSONCoding
import Messaging
import ServiceRuntime
import Storage

/// The board's own database of charts, movies, alerts, products and live updates, all of it built from events.
///
/// It can be deleted at any time, because the event logs of worker and notifier hold everything. Each transaction stores
/// the data together with the position in the log up to which it was read, so that each event is applied once.
struct ReadModel: Sendable {
    /// A process whose events are applied.
    enum Source: String, CaseIterable, Sendable {
        case worker
        case notifier
    }

    let database: Database
    /// Random text that a new database gets: the ids of one database's updates mean nothing in another.
    let epoch: String
    private let appliedCount = Locked(0)

    /// A number that increases with each change, until the process ends; what was read stays true while it is the same.
    var version: Int { appliedCount.withLock { $0 } }

    init(_ database: Database) async throws {
        self.database = database
        epoch = try await database.write { connection in
            try connection.execute(
                "insert into board (only, epoch) values (1, ?) on conflict do nothing",
                UUID().uuidString.prefix(8).lowercased())
            return try connection.query("select epoch from board", as: String.self)[0]
        }
    }

    /// Opens the database, and replaces it by an empty one if it is damaged or has tables of another version.
    static func open(_ path: String, logger: Logger) throws -> Database {
        try Database.openOrRecreate(path: path, schema: schema) { error in
            logger.warning(
                "cannot use the board's database; deleted it, and it will be filled again from the event logs",
                [.error: "\(error)"])
        }
    }

    /// Returns the position in a process's log after the last event that was applied; nil before the first.
    func position(of source: Source) async throws -> LogCursor? {
        try await database.read { connection in
            let stored = try connection.query(
                "select position from reading where source = ?", source.rawValue, as: [UInt8].self)
            return try stored.first.map { try JSON.decode(from: $0) }
        }
    }

    // MARK: - Events

    /// Applies events of a process in one transaction, and returns the live updates that follow from them.
    ///
    /// Events that cannot be decoded are skipped: one that only a newer version knows must not stop those after it.
    func apply(
        _ batch: Subscription.Batch, from source: Source,
        onUnreadable: @escaping @Sendable (Event, any Error) -> Void
    ) async throws -> [LiveUpdate] {
        let updates = try await database.write { connection in
            var updates: [LiveUpdate] = []
            for delivery in batch.items {
                switch delivery {
                case .event(let event):
                    do {
                        updates += try apply(event, in: connection)
                    } catch let error as DecodingError {
                        onUnreadable(event, error)
                    }
                case .newLog:
                    try deleteAll(from: source, in: connection)
                    updates.append(try connection.addUpdate(.reset, Array("{}".utf8)))
                case .live: break
                }
            }
            if !updates.isEmpty { try connection.trimUpdates() }
            try connection.execute(
                "insert or replace into reading (source, position) values (?, ?)", source.rawValue,
                try JSON.encode(batch.position))
            return updates
        }
        // Unchanged by batches without updates, such as the acceptance of requests, of which strangers can cause many.
        if !updates.isEmpty { appliedCount.withLock { $0 += 1 } }
        return updates
    }

    private func apply(_ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        guard let data = event.dataJSON else { return [] }
        switch event.topic {
        case .ranking: return try applyChart(event, data, in: connection)
        case .weekRanking(let week, _): return try applyChart(of: week, event, data, in: connection)
        case .movie(let code): return [try applyMovie(code, event, data, in: connection)]
        case .poster(let code): return [try applyPoster(code, event, data, in: connection)]
        case .request(let stage, let id): return try applyRequest(stage, id, event, data, in: connection)
        case .anomaly: return [try applyAnomaly(event, data, in: connection)]
        case .alert: return [try applyAlert(event, data, in: connection)]
        case .products: return try applyProductPage(event, in: connection)
        case .product(let id): return try applyProduct(id, event, in: connection)
        case .productRemoved(let id): return try applyRemoval(of: id, event, in: connection)
        }
    }

    private func deleteAll(from source: Source, in connection: Connection) throws {
        guard source == .worker else { return try connection.execute("delete from alert") }
        let deletions: [StaticString] = [
            "delete from chart", "delete from revision", "delete from line", "delete from movie", "delete from poster",
            "delete from failure", "delete from anomaly", "delete from product", "delete from product_page",
        ]
        for deletion in deletions { try connection.execute(deletion) }
    }
}

extension ReadModel {
    /// The tables. They are never migrated: each change must increase the version, and `open` makes the database anew.
    static let schema = Schema(
        "mqbd", version: 2,
        """
        create table board (
            only integer primary key check (only = 1),
            epoch text not null
        ) strict;

        create table reading (
            source text primary key,
            position blob not null
        ) strict, without rowid;

        create table live_update (
            id integer primary key autoincrement,
            kind text not null,
            data blob not null
        ) strict;

        create table chart (
            topic text primary key,
            market text not null,
            span text not null,
            first_day text not null,
            revision integer not null,
            state text not null,
            data blob not null
        ) strict, without rowid;
        create index chart_day on chart (market, span, first_day);

        create table revision (
            topic text not null,
            revision integer not null,
            data blob not null,
            primary key (topic, revision)
        ) strict, without rowid;

        create table line (
            market text not null,
            day text not null,
            line integer not null,
            code text not null,
            title text not null,
            rank integer,
            audience integer,
            audience_total integer,
            sales integer,
            sales_total integer,
            screens integer,
            showings integer,
            primary key (market, day, line)
        ) strict, without rowid;
        create index line_movie on line (code, market, day);

        create table movie (
            code text primary key,
            title_english text,
            data blob not null
        ) strict, without rowid;

        create table poster (
            code text primary key,
            version text,
            found integer not null,
            data blob not null
        ) strict, without rowid;

        create table alert (
            sequence integer primary key,
            id text not null,
            rule text not null,
            day text,
            code text,
            title text,
            retracts text,
            data blob not null
        ) strict;
        create index alert_movie on alert (code, sequence);
        create index alert_rule on alert (rule);
        create index alert_retraction on alert (retracts) where retracts is not null;

        create table product (
            id integer primary key,
            data blob not null
        ) strict;

        create table product_page (
            page integer not null,
            per_page integer not null,
            time text not null,
            header blob not null,
            products blob not null,
            primary key (page, per_page)
        ) strict, without rowid;

        create table failure (
            sequence integer primary key,
            data blob not null
        ) strict;

        create table anomaly (
            sequence integer primary key,
            data blob not null
        ) strict;

        \(HealthCheck.table)
        """)
}

/// A JSON object made of members that are JSON already, which keeps the data of events as it was received.
struct JSONObject {
    let bytes: [UInt8]

    /// Makes an object whose names are plain ASCII without quotes.
    init(_ members: [(name: String, value: [UInt8])]) {
        let texts = members.map { name, value in Array("\"\(name)\":".utf8) + value }
        bytes = [UInt8(ascii: "{")] + Array(texts.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "}")]
    }

    static func list(_ values: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + Array(values.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
    }

    static func orNull(_ value: [UInt8]?) -> [UInt8] { value ?? Array("null".utf8) }
}
