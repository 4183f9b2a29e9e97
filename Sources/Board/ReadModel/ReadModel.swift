import Concurrency
import Contract
import FoundationEssentials
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

    /// Makes a read model of a database that ``open(_:logger:)`` returned.
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
    /// - Parameter onUnreadable: Is called for each event that cannot be decoded. Such events are skipped, because an
    ///   event that only a newer version knows must not stop those after it.
    func apply(
        _ batches: [Subscription.Batch], from source: Source,
        onUnreadable: @escaping @Sendable (Event, any Error) -> Void
    ) async throws -> [LiveUpdate] {
        let updates = try await database.write { connection in
            var updates: [LiveUpdate] = []
            for delivery in batches.flatMap(\.items) {
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
            if let position = batches.last?.position {
                try connection.execute(
                    """
                    insert into reading (source, position) values (?, ?)
                    on conflict do update set position = excluded.position
                    """, source.rawValue, try JSON.encode(position))
            }
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

    /// Deletes what came from a process, because the process has a new log.
    private func deleteAll(from source: Source, in connection: Connection) throws {
        let deletions: [StaticString] =
            switch source {
            case .worker:
                [
                    "delete from chart", "delete from revision", "delete from line", "delete from movie",
                    "delete from poster", "delete from failure", "delete from anomaly", "delete from product",
                    "delete from product_page",
                ]
            case .notifier: ["delete from alert"]
            }
        for deletion in deletions { try connection.execute(deletion) }
    }
}
