import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Storage
import Text

/// The events of the log that are fresh, for which no upstream is asked, and whether they are all that a request asks
/// for.
typealias FreshEvents = (events: [LoggedEvent], isComplete: Bool)

/// Decides which events of the log are fresh, by when an upstream last confirmed them, with news or without.
struct Freshness {
    static let table = """
        create table checked (
            topic text primary key,
            at integer not null
        ) strict, without rowid;
        """

    /// How long a chart is fresh whose figures may still be corrected, in seconds.
    private static let provisionalChart: TimeInterval = 10 * 60
    /// How long movie details and posters are fresh, which rarely change.
    private static let movie: TimeInterval = 7 * 86_400
    private static let product: TimeInterval = 60

    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    // MARK: The rule

    func events(for request: Request, at now: Date) throws -> FreshEvents {
        let topics: [Topic] =
            switch request.target {
            case .day(let date, let market): [.ranking(day: date, market: market)]
            case .week(let week, let market): [.weekRanking(week, market: market)]
            case .movie(let code, let wantsPoster): [.movie(code)] + (wantsPoster ? [.poster(code)] : [])
            case .products(.page(let page, let perPage)): [.products(page: page, perPage: perPage)]
            case .products(.product(let id)): [.product(id)]
            case .products(.catalogue), .productOrder: []
            }
        guard !request.refresh, !topics.isEmpty else { return ([], false) }
        let events = try topics.compactMap { try event($0, at: now) }
        return (events, events.count == topics.count)
    }

    /// Returns the newest event of a topic; nil if there is none, or it is not fresh.
    func event(_ topic: Topic, at now: Date) throws -> LoggedEvent? {
        guard let event = try transaction.latest(topic) else { return nil }
        let isFresh =
            switch topic {
            case .ranking(let day, _): try isFresh(event, endingOn: day, at: now)
            case .weekRanking(let week, _): try isFresh(event, endingOn: week.lastDay, at: now)
            case .movie: try wasChecked(topic, within: Self.movie, of: now)
            case .poster(let code): try wasChecked(topic, within: Self.movie, of: now) && isAllowed(event, for: code)
            case .products: try wasChecked(topic, within: Self.product, of: now)
            case .product(let id):
                try wasChecked(topic, within: Self.product, of: now) && transaction.latest(.productRemoved(id)) == nil
            case .productRemoved, .request, .anomaly, .alert: false
            }
        return isFresh ? event : nil
    }

    /// Whether a chart is settled, or was confirmed recently and would still be provisional.
    private func isFresh(_ event: LoggedEvent, endingOn day: KoreanDate, at now: Date) throws -> Bool {
        if try event.data(as: StateOfChart.self).value == .settled { return true }
        return try Chart.state(of: day, at: now) == .provisional
            && wasChecked(event.topic, within: Self.provisionalChart, of: now)
    }

    /// Whether a poster is not another one than an operator says.
    private func isAllowed(_ event: LoggedEvent, for code: MovieCode) throws -> Bool {
        let choice = try PosterChoice(for: code, in: connection)
        // Most movies have no choice, and their events need not be read.
        return try choice.isEmpty || choice.allows(event.data())
    }

    private func wasChecked(_ topic: Topic, within period: TimeInterval, of now: Date) throws -> Bool {
        // A time in the future is from before the clock was set back and says nothing.
        try lastCheck(of: topic).map { (0..<period).contains(now.timeIntervalSince($0)) } ?? false
    }

    // MARK: The table

    /// Stores when an upstream was asked for a topic, rounded down to the millisecond.
    func setLastCheck(of topic: Topic, to time: Date) throws(DatabaseError) {
        try connection.execute(
            "insert into checked (topic, at) values (?, ?) on conflict (topic) do update set at = excluded.at",
            topic.description, time.millisecondsSince1970)
    }

    func lastCheck(of topic: Topic) throws(DatabaseError) -> Date? {
        let times = try connection.query("select at from checked where topic = ?", topic.description, as: Int.self)
        return times.first.map(Date.init(millisecondsSince1970:))
    }

    func newestChart() throws(DatabaseError) -> KoreanDate? {
        // The colon is the character after the digits.
        let topic = try connection.query(
            """
            select topic from checked where topic >= 'ranking.day.all.0' and topic < 'ranking.day.all.:'
            order by topic desc limit 1
            """, as: Topic.self
        ).first
        guard case .ranking(let day, _) = topic else { return nil }
        return day
    }

    /// Makes every page of products stale, because an order of ours has changed one of the products.
    func expireProductPages() throws(DatabaseError) {
        try connection.execute("delete from checked where topic >= 'products.' and topic < 'products/'")
    }
}

/// The state in a chart, a day's or a week's; the entries are not decoded.
private struct StateOfChart: JSONReadable {
    let value: Chart.State

    init(json: JSONValue) throws(DecodingError) {
        value = try json.value("state").word()
    }
}
