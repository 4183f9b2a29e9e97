import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import SQLite

// MARK: - Loading

extension NotifierStore {
    private static let timestampFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The one row about the reading of the worker's log.
    struct ReadingState {
        let began: Date
        let position: LogCursor?
        let since: KoreanDate?
        let baseline: BaselinePosition
    }

    static func readingState(in connection: Connection) throws -> ReadingState? {
        let rows = try connection.query(
            "select began, position, since, baseline from reading", as: String.self, [UInt8]?.self, String?.self,
            [UInt8].self)
        return try rows.first.map { began, position, since, baseline in
            ReadingState(
                began: try Date(began, strategy: timestampFormat),
                position: try position.map { try JSON.decode(from: $0) }, since: since.flatMap { KoreanDate($0) },
                baseline: try JSON.decode(from: baseline))
        }
    }

    /// Loads the states of all markets that have a row.
    func loadMarketStates(since: KoreanDate?, in connection: Connection) throws -> [Market: MarketState] {
        try Dictionary(
            uniqueKeysWithValues: markets(in: connection).map { market in
                (market, try loadMarketState(of: market, since: since, in: connection))
            })
    }

    private func markets(in connection: Connection) throws -> [Market] {
        try connection.query("select market from market", as: String.self).compactMap { (market: String) in
            Market(market)
        }
    }

    /// Loads a market's state, with the charts and the alerts of its recent days.
    func loadMarketState(of market: Market, since: KoreanDate?, in connection: Connection) throws -> MarketState {
        let row = try connection.query(
            "select newest_day from market where market = ?", market.description, as: String?.self
        ).first
        var state = MarketState(
            market: market, since: since, newestDay: row?.flatMap { KoreanDate($0) },
            movies: try loadMovies(of: market, in: connection),
            knownDays: try loadKnownDays(of: market, in: connection))
        try loadCharts(into: &state, in: connection)
        try loadAlerts(into: &state, in: connection)
        _ = state.drainChanges()
        return state
    }

    private func loadKnownDays(of market: Market, in connection: Connection) throws -> KnownDays {
        var days = KnownDays()
        let rows = try connection.query(
            "select date, leader from known_day where market = ?", market.description, as: String.self, String?.self)
        for (date, leader) in rows {
            guard let day = KoreanDate(date) else { continue }
            days.insert(day, leader: leader.flatMap { MovieCode($0) })
        }
        return days
    }

    private func loadCharts(into state: inout MarketState, in connection: Connection) throws {
        let charts = try connection.query(
            "select date, sequence, chart from open_chart where market = ? order by date", state.market.description,
            as: String.self, SequenceNumber.self, [UInt8].self)
        for (date, sequence, chart) in charts {
            guard let date = KoreanDate(date) else { continue }
            let evidence = Alert.Evidence(stream: .ranking, sequence: sequence)
            state.insert(try RecentChart(JSONValue(parsing: chart), of: date, evidence: evidence))
        }
    }

    private func loadAlerts(into state: inout MarketState, in connection: Connection) throws {
        let decisions = try connection.query(
            "select id, is_standing from decision where market = ?", state.market.description, as: String.self,
            Int.self)
        let alerts = try decisions.compactMap { id, isStanding in
            try log.event(id: id, in: connection).map { (event: $0, isStanding: isStanding == 1) }
        }
        for alert in alerts.sorted(by: { $0.event.sequence < $1.event.sequence }) {
            state.restore(try alert.event.data(), isStanding: alert.isStanding)
        }
    }

    private func loadMovies(of market: Market, in connection: Connection) throws -> [MovieCode: MovieState] {
        let rows = try connection.query(
            "select code, first_day, last_day, best_day, best_audience, total from movie where market = ?",
            market.description, as: String.self, String?.self, String?.self, String?.self, Int?.self, Int?.self)
        var movies: [MovieCode: MovieState] = [:]
        movies.reserveCapacity(rows.count)
        for (code, first, last, bestDay, bestAudience, total) in rows {
            guard let code = MovieCode(code) else { continue }
            var best: MovieTotals.Day?
            if let day = bestDay.flatMap({ KoreanDate($0) }), let bestAudience {
                best = MovieTotals.Day(day: day, audience: bestAudience)
            }
            let totals = MovieTotals(
                first: first.flatMap { KoreanDate($0) }, last: last.flatMap { KoreanDate($0) }, best: best,
                total: total)
            movies[code] = MovieState(settled: totals)
        }
        return movies
    }
}

// MARK: - Saving

extension NotifierStore {
    /// Writes the changes of the state.
    func save(_ changes: AlertState.Changes, in connection: Connection) throws {
        if let products = changes.products { try save(products, in: connection) }
        try connection.execute(
            "insert or replace into reading (id, began, position, since, baseline) values (1, ?, ?, ?, ?)",
            changes.began.formatted(Self.timestampFormat), try changes.position.map { try JSON.encode($0) },
            changes.since?.description, try JSON.encode(changes.baseline))
        for market in changes.markets { try save(market, in: connection) }
    }

    private func save(_ changes: AlertState.Changes.Market, in connection: Connection) throws {
        let market = changes.market.description
        if changes.isReset {
            try connection.execute("delete from open_chart where market = ?", market)
            try connection.execute("delete from known_day where market = ?", market)
            try connection.execute("delete from movie where market = ?", market)
            try connection.execute("delete from decision where market = ?", market)
        }
        try connection.execute(
            "insert or replace into market (market, newest_day) values (?, ?)", market, changes.newestDay?.description)
        for (day, leader) in changes.leaders {
            try connection.execute(
                "insert or replace into known_day (market, date, leader) values (?, ?, ?)", market, day.description,
                leader?.description)
        }
        for chart in changes.charts {
            try connection.execute(
                "insert or replace into open_chart (market, date, sequence, chart) values (?, ?, ?, ?)", market,
                chart.date.description, chart.evidence.sequence, chart.json)
        }
        for (code, movie) in changes.movies { try save(movie, code, market, in: connection) }
        if let horizon = changes.horizon?.description {
            try connection.execute("delete from open_chart where market = ? and date < ?", market, horizon)
            try connection.execute("delete from decision where market = ? and date < ?", market, horizon)
        }
    }

    private func save(_ movie: MovieState, _ code: MovieCode, _ market: String, in connection: Connection) throws {
        let totals = movie.settled
        try connection.execute(
            """
            insert or replace into movie
                (market, code, first_day, last_day, best_day, best_audience, total)
            values (?, ?, ?, ?, ?, ?, ?)
            """, market, code.description, totals.first?.description, totals.last?.description,
            totals.best?.day.description, totals.best?.audience, totals.total)
    }

    /// Writes which alerts stand. Alerts that are not about a movie are left out: they are never retracted.
    func save(_ decisions: [Decision], in connection: Connection) throws {
        for decision in decisions where decision.alert.movieCode != nil {
            let alert = decision.alert
            try connection.execute(
                "insert or replace into decision (id, market, date, is_standing) values (?, ?, ?, ?)",
                alert.retracts ?? decision.id, (alert.market ?? .all).description, alert.date.description,
                alert.retracts == nil ? 1 : 0)
        }
    }

    /// Deletes the states of all other markets, but not their decisions.
    func deleteMarkets(except kept: Set<Market>, in connection: Connection) throws {
        // Nothing would update such a state any more, and rules would trust it once there are some for the market again.
        for market in try markets(in: connection) where !kept.contains(market) {
            try connection.execute("delete from market where market = ?", market.description)
            try connection.execute("delete from open_chart where market = ?", market.description)
            try connection.execute("delete from known_day where market = ?", market.description)
            try connection.execute("delete from movie where market = ?", market.description)
        }
    }
}
