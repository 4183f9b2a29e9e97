import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import SQLite

/// How long an answer from the log counts as fresh, in seconds.
enum Freshness {
    /// A chart whose figures may still be corrected.
    static let provisionalChart: TimeInterval = 10 * 60
    /// Movie details and posters, which rarely change.
    static let movie: TimeInterval = 7 * 86_400
}

/// The newest event of a topic, and when an upstream last confirmed it.
struct CheckedEvent: Sendable {
    let event: LoggedEvent
    let checked: Date

    /// Whether it was confirmed within the last `period` seconds.
    func isFresh(for period: TimeInterval, at now: Date) -> Bool {
        // A time in the future is from before the clock was set back and says nothing.
        (0..<period).contains(now.timeIntervalSince(checked))
    }
}

/// Answers requests from the log.
struct AnswerStore {
    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    /// Returns the newest event of a topic, or nil if the topic has none.
    func checkedEvent(_ topic: Topic) throws -> CheckedEvent? {
        try transaction.log.latest(topic, in: connection).map(checked)
    }

    /// Returns the whole answer to a request, or nil if the log lacks a part of it or a part is not fresh.
    ///
    /// - Throws: `DecodingError` if an event in the log cannot be read.
    func answer(to request: Request, at now: Date) throws -> FetchResult? {
        guard !request.refresh else { return nil }
        let events: [LoggedEvent?]
        switch request.target {
        case .day(let date, let market):
            events = [try freshChart(.ranking(day: date, market: market), endingOn: date, at: now)]
        case .week(let week, let market):
            events = [try freshChart(.weekRanking(week, market: market), endingOn: week.lastDay, at: now)]
        case .movie(let code, let wantsPoster):
            events = [try freshMovie(code, at: now)] + (wantsPoster ? [try freshPoster(of: code, at: now)] : [])
        case .products, .productOrder: return nil
        }
        let found = events.compactMap(\.self)
        return found.count == events.count ? FetchResult(logged: found) : nil
    }

    /// Returns the newest event about a movie's facts; nil if it is not fresh.
    func freshMovie(_ code: MovieCode, at now: Date) throws -> LoggedEvent? {
        try fresh(.movie(code), at: now)
    }

    /// Returns the newest event about a movie's poster; nil if it is not fresh, or is not what an operator says.
    func freshPoster(of code: MovieCode, at now: Date) throws -> LoggedEvent? {
        guard let event = try fresh(.poster(code), at: now) else { return nil }
        let choice = try PosterChoice(for: code, in: connection)
        // Most movies have no choice, and their events need not be read.
        return try choice.isEmpty || choice.allows(event.data()) ? event : nil
    }

    private func fresh(_ topic: Topic, at now: Date) throws -> LoggedEvent? {
        try checkedEvent(topic).flatMap { $0.isFresh(for: Freshness.movie, at: now) ? $0.event : nil }
    }

    private func checked(_ event: LoggedEvent) throws -> CheckedEvent {
        let checked = try FreshnessTable.lastCheck(of: event.topic, in: connection)
        return CheckedEvent(event: event, checked: checked ?? .distantPast)
    }

    /// Returns the chart in the log if it is settled, or if it was confirmed recently and would still be provisional.
    private func freshChart(_ topic: Topic, endingOn day: KoreanDate, at now: Date) throws -> LoggedEvent? {
        guard let event = try transaction.log.latest(topic, in: connection) else { return nil }
        if try event.data(as: StateOfChart.self).value == .settled { return event }
        let isRecent =
            try Chart.state(of: day, at: now) == .provisional
            && checked(event).isFresh(for: Freshness.provisionalChart, at: now)
        return isRecent ? event : nil
    }
}

/// The state in a chart, a day's or a week's; the entries are not decoded.
private struct StateOfChart: JSONReadable {
    let value: Chart.State

    init(json: JSONValue) throws(DecodingError) {
        value = try json.value("state").word()
    }
}
