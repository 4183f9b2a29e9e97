import BoxOffice
import Contract
import JSONCoding
import Messaging
import Operations
import SQLite

extension ReadModel {
    /// Takes in what was read of a process's log, in one transaction, and returns what is new by it.
    ///
    /// An event that cannot be read is passed over: one that this version does not know must not stop those after it.
    func take(
        _ batches: [Subscription.Batch], of source: Source,
        unreadable: @escaping @Sendable (Event, any Error) -> Void
    ) async throws -> [LiveUpdate] {
        try await database.write { connection in
            var news: [LiveUpdate] = []
            for delivery in batches.flatMap(\.items) {
                switch delivery {
                case .event(let event):
                    do {
                        news += try take(event, in: connection)
                    } catch let error as DecodingError {
                        unreadable(event, error)
                    }
                case .newLog:
                    try forget(source, in: connection)
                    news.append(try connection.addNews(.reset, Array("{}".utf8)))
                case .live: break
                }
            }
            if !news.isEmpty { try connection.trimNews() }
            if let position = batches.last?.position {
                try connection.execute(
                    """
                    insert into reading (source, position) values (?, ?)
                    on conflict do update set position = excluded.position
                    """, source.rawValue, try JSON.encode(position))
            }
            return news
        }
    }

    private func take(_ event: Event, in connection: Connection) throws -> [LiveUpdate] {
        guard let data = event.dataJSON else { return [] }
        switch event.topic {
        case .ranking: return try takeChart(event, data, in: connection)
        case .weekRanking(let week, _): return try takeChart(of: week, event, data, in: connection)
        case .movie(let code): return [try takeMovie(code, data, in: connection)]
        case .poster(let code): return [try takePoster(code, event, data, in: connection)]
        case .request(let stage, let id): return try takeRequest(stage, id, event, data, in: connection)
        case .anomaly: return [try takeAnomaly(event, data, in: connection)]
        case .alert, .anomalyAlert, .productAlert: return [try takeAlert(event, data, in: connection)]
        case .products: return try takePage(event, in: connection)
        case .product(let id): return try takeProduct(id, event, in: connection)
        case .productRemoved(let id): return try takeRemoval(id, event, in: connection)
        }
    }

    /// Forgets what came from a process whose log is another one now.
    private func forget(_ source: Source, in connection: Connection) throws {
        switch source {
        case .worker:
            try connection.execute("delete from chart")
            try connection.execute("delete from revision")
            try connection.execute("delete from line")
            try connection.execute("delete from movie")
            try connection.execute("delete from poster")
            try connection.execute("delete from failure")
            try connection.execute("delete from anomaly")
            try forgetProducts(in: connection)
        case .notifier:
            try connection.execute("delete from alert")
        }
    }
}
