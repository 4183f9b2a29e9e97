import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite

extension WorkerStore {
    /// What has become of a request.
    func outcome(of id: RequestID?, in connection: Connection) throws -> Schedule.OrderIntent.Outcome {
        guard let id, let state = try inbox.state(of: id, in: connection) else { return .failed(.internal) }
        switch state {
        case .waiting: return .waiting
        case .done: return .done
        case .failed: return .failed(try failureCode(of: id, in: connection))
        }
    }

    /// What has become of a request for a film: one whose poster could not be fetched has failed by that.
    func outcomeOfMovie(_ id: RequestID?, in connection: Connection) throws -> Schedule.OrderIntent.Outcome {
        let outcome = try outcome(of: id, in: connection)
        guard outcome == .done, let id, let done = try log.latest(.request(.done, id), in: connection) else {
            return outcome
        }
        return try done.data(as: RequestDone.self).problems.first.map { .failed($0.code) } ?? .done
    }

    /// Whether an item needs no look at the source: its figures are settled, or the schedule looks after them; a film's
    /// facts are known, and its poster, if those are asked for.
    func isAtRest(
        _ item: BackfillJob.Item, withPosters hasPosters: Bool, at now: Date, in connection: Connection
    ) throws -> Bool {
        guard let target = item.target(withPosters: hasPosters) else { return true }
        let topic: Topic
        let lastDay: KoreanDate
        switch target {
        case .movie(let code, _): return try isKnown(code, withPosters: hasPosters, in: connection)
        case .day(let date, let market): (topic, lastDay) = (.ranking(day: date, market: market), date)
        case .week(let week, let market): (topic, lastDay) = (.weekRanking(week, market: market), week.lastDay)
        case .products, .productOrder: return true  // the shop has no history to be filled
        }
        guard let chart = try log.latest(topic, in: connection)?.data(as: Chart.self) else { return false }
        return chart.state == .settled || Chart.state(of: lastDay, at: now) == .provisional
    }

    private func isKnown(
        _ code: MovieCode, withPosters hasPosters: Bool, in connection: Connection
    ) throws -> Bool {
        guard try log.latest(.movie(code), in: connection) != nil else { return false }
        return try !hasPosters || log.latest(.poster(code), in: connection) != nil
    }

    /// The films in the national charts of some days whose facts, or posters, are not known, in the order of their codes.
    func unknownMovies(
        from first: KoreanDate, to last: KoreanDate, withPosters hasPosters: Bool
    ) async throws -> [MovieCode] {
        var movies: Set<MovieCode> = []
        var day = first
        // Some days at a time, so that nobody waits long for the database.
        while day <= last {
            let end = min(day + 99, last)
            movies.formUnion(
                try await database.read { [day] connection in
                    try (0...(end - day)).flatMap { index in
                        let chart = try log.latest(.ranking(day: day + index, market: .all), in: connection)
                        return try chart?.data(as: Chart.self).entries.map(\.movieCode) ?? []
                    }
                })
            day = end + 1
        }
        return try await database.read { [movies] connection in
            try movies.filter { try !isKnown($0, withPosters: hasPosters, in: connection) }
        }.sorted { $0.description < $1.description }
    }
}
