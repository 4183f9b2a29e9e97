import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import SQLite

/// How long an answer from the log counts as fresh.
enum Freshness {
    /// A chart whose figures may still be corrected.
    static let provisionalChart: TimeInterval = 10 * 60
    /// Facts and posters, which change seldom.
    static let movie: TimeInterval = 7 * 86_400
}

extension WorkerStore {
    /// The whole answer to a request, if the log has it and it is fresh: then no upstream need be asked.
    func answer(to request: Request, at now: Date, in connection: Connection) throws -> FetchResult? {
        guard !request.refresh else { return nil }
        let events: [LoggedEvent?]
        switch request.target {
        case .day(let date, let market):
            events = [try freshChart(.ranking(day: date, market: market), endingOn: date, at: now, in: connection)]
        case .week(let week, let market):
            events = [
                try freshChart(.weekRanking(week, market: market), endingOn: week.lastDay, at: now, in: connection)
            ]
        case .movie(let code, let wantsPoster):
            events = try ([.movie(code)] + (wantsPoster ? [.poster(code)] : [])).map { topic in
                try known(topic, in: connection).flatMap { $0.isFresh(for: Freshness.movie, at: now) ? $0.event : nil }
            }
        case .products, .productOrder: return nil
        }
        let found = events.compactMap(\.self)
        return found.count == events.count ? FetchResult(logged: found) : nil
    }

    /// The same for a request that has just come in. What cannot be read is no answer: whoever takes the request from the
    /// queue meets it, too, and tells, and others that came with it are not to suffer.
    func answerAtOnce(to request: Request, at now: Date, in connection: Connection) throws -> FetchResult? {
        do {
            return try answer(to: request, at: now, in: connection)
        } catch is DecodingError {
            return nil
        }
    }

    /// The same for a request that has waited: what it asks for may have come meanwhile, for another.
    func answer(to accepted: AcceptedRequest, at now: Date) async throws -> FetchResult? {
        try await database.read { connection in try answer(to: accepted.request, at: now, in: connection) }
    }

    /// The chart in the log, if it needs no look at the source: a settled one, or one that was confirmed just now and
    /// would still be provisional.
    private func freshChart(
        _ topic: Topic, endingOn day: KoreanDate, at now: Date, in connection: Connection
    ) throws -> LoggedEvent? {
        guard let (event, state) = try recentCharts.latest(topic, of: log, in: connection) else { return nil }
        if state == .settled { return event }
        let isRecent =
            try Chart.state(of: day, at: now) == .provisional
            && known(event, in: connection).isFresh(for: Freshness.provisionalChart, at: now)
        return isRecent ? event : nil
    }
}
