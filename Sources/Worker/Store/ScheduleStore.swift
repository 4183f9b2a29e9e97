import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import SQLite

/// How a request of the worker's own ended, or that it has not.
enum RequestOutcome: Hashable, Sendable {
    case waiting
    case done
    /// It failed; `needsOperator` if it will fail again until somebody has corrected the configuration.
    case failed(ContractError.Code, needsOperator: Bool = false)

    fileprivate init(_ error: ContractError) {
        self = .failed(error.code, needsOperator: error.needsOperator)
    }
}

/// Reads what the schedule and the backfill decide on: charts, movies and the ends of their own requests.
struct ScheduleStore {
    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }
    private var log: EventLog { transaction.log }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Returns what is known about a scheduled chart, with the attempts of its due check.
    func state(of chart: ScheduledChart, at now: Date) throws -> Schedule.ChartState {
        var state = Schedule.ChartState()
        state.isKnown = try log.latest(chart.topic, in: connection) != nil
        state.checked = try FreshnessTable.lastCheck(of: chart.topic, in: connection)
        if let check = chart.due(at: now) {
            state.attempts = try attempts(under: "\(ScheduleService.prefix)\(chart.name).\(check.word)")
        }
        return state
    }

    /// Returns the attempts with this id, and those with this id and a number after it.
    private func attempts(under id: String) throws -> [Schedule.Attempt] {
        try transaction.inbox.requests(underID: id, in: connection).map { request in
            Schedule.Attempt(time: request.acceptedAt, outcome: try outcome(of: request.id, in: request.state))
        }
    }

    /// Returns the movies of a day's chart whose details or poster are unknown or stale.
    func staleMovies(of topic: Topic, withPosters: Bool, at now: Date) throws -> [MovieCode] {
        guard let chart = try chart(topic) else { return [] }
        return try chart.entries.map(\.movieCode).filter { code in
            let topics: [Topic] = withPosters ? [.movie(code), .poster(code)] : [.movie(code)]
            return try topics.contains { topic in
                let age = try FreshnessTable.lastCheck(of: topic, in: connection).map { now.timeIntervalSince($0) }
                return age.map { !(0..<Freshness.movie).contains($0) } ?? true
            }
        }
    }

    /// Returns whether a request with this id was accepted.
    func hasRequest(_ id: String) throws -> Bool {
        try !transaction.inbox.requests(underID: id, in: connection).isEmpty
    }

    /// Returns the newest day whose national chart is known.
    func newestChart() throws -> KoreanDate? {
        let topic = try FreshnessTable.newestTopic(withPrefix: "ranking.day.all.", in: connection)
        guard case .ranking(let day, _) = topic else { return nil }
        return day
    }

    /// Returns how a request ended; a request that was never accepted counts as failed.
    func outcome(of id: RequestID?) throws -> RequestOutcome {
        guard let id, let state = try transaction.inbox.state(of: id, in: connection) else { return .failed(.internal) }
        return try outcome(of: id, in: state)
    }

    /// Returns how a request for a movie ended; one whose poster could not be fetched counts as failed.
    func outcomeOfMovie(_ id: RequestID?) throws -> RequestOutcome {
        let outcome = try outcome(of: id)
        guard outcome == .done, let id, let done = try log.latest(.request(.done, id), in: connection) else {
            return outcome
        }
        return try done.data(as: RequestDone.self).problems.first.map(RequestOutcome.init) ?? .done
    }

    private func outcome(of id: RequestID, in state: RequestInbox.State) throws -> RequestOutcome {
        switch state {
        case .waiting: return .waiting
        case .done: return .done
        case .failed:
            let failed = try log.latest(.request(.failed, id), in: connection)?.data(as: RequestFailed.self)
            return failed.map { RequestOutcome($0.error) } ?? .failed(.internal)
        }
    }

    /// Whether a backfill item needs no request: its figures are settled, or recent enough for the schedule to refresh
    /// them; or a movie's details are known, and its poster if posters are fetched.
    func isComplete(_ item: BackfillJob.Item, withPosters: Bool, at now: Date) throws -> Bool {
        guard let target = item.target(withPosters: withPosters) else { return true }
        let topic: Topic
        let lastDay: KoreanDate
        switch target {
        case .movie(let code, _): return try isKnown(code, withPosters: withPosters)
        case .day(let date, let market): (topic, lastDay) = (.ranking(day: date, market: market), date)
        case .week(let week, let market): (topic, lastDay) = (.weekRanking(week, market: market), week.lastDay)
        case .products, .productOrder: return true  // the Open Market has no history to fetch
        }
        guard let chart = try chart(topic) else { return false }
        return chart.state == .settled || Chart.state(of: lastDay, at: now) == .provisional
    }

    /// Returns the movies in the national charts of some days.
    func movies(in days: ClosedRange<KoreanDate>) throws -> Set<MovieCode> {
        var movies: Set<MovieCode> = []
        for index in 0...(days.upperBound - days.lowerBound) {
            let chart = try chart(.ranking(day: days.lowerBound + index, market: .all))
            movies.formUnion(chart?.entries.map(\.movieCode) ?? [])
        }
        return movies
    }

    private func chart(_ topic: Topic) throws -> Chart? {
        try readable { try log.latest(topic, in: connection)?.data() }
    }

    /// Whether a movie's details are in the log, and its poster if `withPosters`.
    func isKnown(_ code: MovieCode, withPosters: Bool) throws -> Bool {
        guard try log.latest(.movie(code), in: connection) != nil else { return false }
        return try !withPosters || log.latest(.poster(code), in: connection) != nil
    }
}

/// Returns what is read from the log, or nil if an event cannot be read, as one of a newer version: a chart that nobody can
/// read keeps no other from being fetched.
func readable<Value>(_ read: () throws -> Value?) throws -> Value? {
    do {
        return try read()
    } catch is DecodingError {
        return nil
    }
}

extension WorkerStore {
    /// Returns the newest day whose national chart is known.
    func newestChart() async throws -> KoreanDate? {
        try await read { try ScheduleStore($0).newestChart() }
    }

    /// Returns the movies in the national charts of some days whose details or posters are unknown, by their codes.
    func unknownMovies(in days: ClosedRange<KoreanDate>, withPosters: Bool) async throws -> [MovieCode] {
        var movies: Set<MovieCode> = []
        var day = days.lowerBound
        // A hundred days at a time, so that other readers do not wait long.
        while day <= days.upperBound {
            let part = day...min(day + 99, days.upperBound)
            movies.formUnion(try await read { try ScheduleStore($0).movies(in: part) })
            day = part.upperBound + 1
        }
        return try await read { [movies] transaction in
            try movies.filter { try !ScheduleStore(transaction).isKnown($0, withPosters: withPosters) }
        }.sorted { $0.description < $1.description }
    }
}
