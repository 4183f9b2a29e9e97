import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import Messaging
import SQLite

extension NotifierStore {
    private static let instants = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The one row about the reading of the worker's log.
    struct Reading {
        let began: Date
        let position: LogCursor?
        let since: KoreanDate?
        let history: BaselinePosition
    }

    static func reading(in connection: Connection) throws -> Reading? {
        let rows = try connection.query(
            "select began, position, since, history from reading", as: String.self, [UInt8]?.self, String?.self,
            [UInt8]?.self)
        return try rows.first.map { began, position, since, history in
            Reading(
                began: try Date(began, strategy: instants),
                position: try position.map { try JSON.decode(from: $0) }, since: since.flatMap { KoreanDate($0) },
                history: try history.map { try JSON.decode(from: $0) } ?? BaselinePosition())
        }
    }

    /// The books that there are.
    func books(since: KoreanDate?, in connection: Connection) throws -> [Market: MarketState] {
        try Dictionary(
            uniqueKeysWithValues: markets(in: connection).map { market in
                (market, try book(of: market, since: since, in: connection))
            })
    }

    private func markets(in connection: Connection) throws -> [Market] {
        try connection.query("select market from book", as: String.self).compactMap { (market: String) in Market(market)
        }
    }

    /// A market's book, with the charts and decisions of its open days.
    func book(of market: Market, since: KoreanDate?, in connection: Connection) throws -> MarketState {
        let row = try connection.query(
            "select newest_day, leader, leading_since, leading_until from book where market = ?", market.description,
            as: String?.self, String?.self, String?.self, String?.self
        ).first
        var reign: LeadStreak?
        if let leader = row?.1.flatMap({ MovieCode($0) }), let since = row?.2.flatMap({ KoreanDate($0) }),
            let until = row?.3.flatMap({ KoreanDate($0) })
        {
            reign = LeadStreak(of: leader, since: since, until: until)
        }
        var book = MarketState(
            market: market, since: since, newestDay: row?.0.flatMap { KoreanDate($0) },
            movies: try movies(of: market, in: connection), reign: reign)
        let charts = try connection.query(
            "select date, sequence, chart from open_chart where market = ? order by date", market.description,
            as: String.self, SequenceNumber.self, [UInt8].self)
        for (date, sequence, chart) in charts {
            guard let date = KoreanDate(date) else { continue }
            let position = Alert.Evidence(stream: .ranking, sequence: sequence)
            book.learn(try RecentChart(JSONValue(parsing: chart), of: date, at: position))
        }
        let decisions = try connection.query(
            "select id, is_standing from decision where market = ?", market.description, as: String.self, Int.self)
        let alerts = try decisions.compactMap { id, isStanding in
            try log.event(id: id, in: connection).map { (event: $0, isStanding: isStanding == 1) }
        }
        for alert in alerts.sorted(by: { $0.event.sequence < $1.event.sequence }) {
            book.recall(try alert.event.data(), isStanding: alert.isStanding)
        }
        _ = book.takeChanges()
        return book
    }

    private func movies(of market: Market, in connection: Connection) throws -> [MovieCode: MovieState] {
        let rows = try connection.query(
            "select code, first_day, last_day, best_day, best_audience, total, owed from film where market = ?",
            market.description, as: String.self, String?.self, String?.self, String?.self, Int?.self, Int?.self,
            [UInt8]?.self)
        var movies: [MovieCode: MovieState] = [:]
        movies.reserveCapacity(rows.count)
        for (code, first, last, bestDay, bestAudience, total, owed) in rows {
            guard let code = MovieCode(code) else { continue }
            var best: MovieTotals.Day?
            if let day = bestDay.flatMap({ KoreanDate($0) }), let bestAudience {
                best = MovieTotals.Day(day: day, audience: bestAudience)
            }
            let past = MovieTotals(
                first: first.flatMap { KoreanDate($0) }, last: last.flatMap { KoreanDate($0) }, best: best, total: total
            )
            movies[code] = MovieState(settled: past, owed: try owed.map { try JSON.decode(from: $0) } ?? [])
        }
        return movies
    }

    /// Writes what has changed in the memory.
    func write(_ changes: AlertState.Changes, in connection: Connection) throws {
        if let shelf = changes.shelf { try write(shelf, in: connection) }
        try connection.execute(
            "insert or replace into reading (id, began, position, since, history) values (1, ?, ?, ?, ?)",
            changes.began.formatted(Self.instants), try changes.position.map { try JSON.encode($0) },
            changes.since?.description, try JSON.encode(changes.history))
        for book in changes.books {
            let market = book.market.description
            if book.isForgotten {
                try connection.execute("delete from open_chart where market = ?", market)
                try connection.execute("delete from film where market = ?", market)
                try connection.execute("delete from decision where market = ?", market)
            }
            try connection.execute(
                """
                insert or replace into book (market, newest_day, leader, leading_since, leading_until)
                values (?, ?, ?, ?, ?)
                """, market, book.newestDay?.description, book.reign?.leader.description,
                book.reign?.since.description, book.reign?.until.description)
            for chart in book.charts {
                try connection.execute(
                    "insert or replace into open_chart (market, date, sequence, chart) values (?, ?, ?, ?)", market,
                    chart.date.description, chart.position.sequence, chart.json)
            }
            for (code, movie) in book.movies {
                let past = movie.settled
                try connection.execute(
                    """
                    insert or replace into film
                        (market, code, first_day, last_day, best_day, best_audience, total, owed)
                    values (?, ?, ?, ?, ?, ?, ?, ?)
                    """, market, code.description, past.first?.description, past.last?.description,
                    past.best?.day.description, past.best?.audience, past.total,
                    movie.owed.isEmpty ? nil : try JSON.encode(movie.owed.sorted()))
            }
            if let horizon = book.horizon?.description {
                try connection.execute("delete from open_chart where market = ? and date < ?", market, horizon)
                try connection.execute("delete from decision where market = ? and date < ?", market, horizon)
            }
        }
    }

    /// Writes which of the alerts that were decided on stand. Those that are about no film are never taken back.
    func keep(_ decisions: [Decision], in connection: Connection) throws {
        for decision in decisions where decision.alert.movieCode != nil {
            let alert = decision.alert
            try connection.execute(
                "insert or replace into decision (id, market, date, is_standing) values (?, ?, ?, ?)",
                alert.retracts ?? decision.id, (alert.market ?? .all).description, alert.date.description,
                alert.retracts == nil ? 1 : 0)
        }
    }

    /// Forgets what is known of other markets, which would grow old unnoticed, but not what was decided.
    func forgetBooks(besides kept: Set<Market>, in connection: Connection) throws {
        for market in try markets(in: connection) where !kept.contains(market) {
            try connection.execute("delete from book where market = ?", market.description)
            try connection.execute("delete from open_chart where market = ?", market.description)
            try connection.execute("delete from film where market = ?", market.description)
        }
    }
}
