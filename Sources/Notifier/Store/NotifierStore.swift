import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Health
import JSONCoding
import Messaging
import ServiceRuntime
import Storage

/// The notifier's database: how far it has read, its state, and the alerts it decided, each once by its id, changed in whole
/// transactions. New alerts are passed to `publish` right after their commit.
struct NotifierStore: Sendable {
    static let schema = Schema(
        "mqnt", version: 1,
        [EventLog.tables, tables, Outbox.tables, HealthCheck.table].joined(separator: "\n"))

    let database: Database
    let log: EventLog
    let runtime: Runtime
    let publish: @Sendable ([LoggedEvent]) -> Void
    var outbox: Outbox?

    /// Writes decisions and changes of the state in one transaction, and returns the decisions that are new.
    func record(
        _ decisions: [Decision] = [], changes: AlertState.Changes?, posters: [MovieCode: String?] = [:]
    ) async throws -> [Decision] {
        let now = runtime.wallClock.now()
        return try await database.write { connection in
            try outbox?.save(posters, in: connection)
            if let changes { try save(changes, in: connection) }
            let drafts = decisions.map { decision in
                let alert = decision.alert
                guard let topic = alert.topic else { preconditionFailure("alert \(decision.id) has no subject") }
                return EventDraft(
                    topic, id: decision.id, correlationID: decision.event?.correlationID, data: alert.json)
            }
            let logged = try log.appendEach(of: drafts, at: now, in: connection)
            var new: [Decision] = []
            var events: [LoggedEvent] = []
            for (decision, (event, isNew)) in zip(decisions, logged) where isNew {
                if decision.event != nil {
                    let alert = OutboundAlert(id: decision.id, body: event.body, data: decision.alert)
                    try outbox?.enqueue([alert], at: now, in: connection)
                }
                events.append(event)
                new.append(decision)
            }
            try save(decisions, in: connection)
            runtime.failPoints.reach(.settled)
            connection.afterCommit { [events] in
                runtime.failPoints.reach(.committed)
                publish(events)
                runtime.failPoints.reach(.published)
            }
            return new
        }
    }

    /// Loads the state of the last write. The log is read again from its beginning if `since` changed, or if there are
    /// rules for a market without a state; what was read earlier becomes baseline, unless `since` asks for it. The same
    /// holds for the product streams when the first rule about products comes into force.
    func loadAlertState(rules: AlertRules, since: KoreanDate?) async throws -> AlertState {
        let now = runtime.wallClock.now()
        return try await database.write { connection in
            let reading = try Self.readingState(in: connection)
            var baseline = reading?.baseline ?? BaselinePosition()
            var position = reading?.position
            let known = try rules.hasProductRules ? loadProductStates(in: connection) : nil
            if known == nil {
                try deleteProductStates(in: connection)
                baseline.reopen(ProductStates.streams)
                position = position.map { position in
                    LogCursor(
                        epoch: position.epoch,
                        streams: position.streams.filter { !ProductStates.streams.contains($0.key) })
                }
            }
            // The days from a new `since` on are decided where the baseline ends.
            if let reading, let since, since != reading.since { baseline.reopen([.ranking]) }
            let openSince = baseline.ends[.ranking] == nil ? since : nil
            var isStored = false
            if let reading, since == nil || since == reading.since {
                try deleteMarkets(except: rules.markets, in: connection)
                isStored = try rules.markets.isSubset(of: storedMarkets(in: connection))
                if !isStored, let position { baseline.extend(to: position) }
            }
            if !isStored {
                try deleteMarkets(except: [], in: connection)
                position = nil
            }
            // A market whose row was deleted still has its decisions.
            let markets = try rules.markets.map { market in
                (market, try loadMarketState(of: market, since: openSince, in: connection))
            }
            var alertState = AlertState(
                rules: rules, markets: Dictionary(uniqueKeysWithValues: markets),
                productStates: rules.hasProductRules ? known ?? ProductStates(began: now) : nil,
                position: position, since: since, began: reading?.began ?? now, baseline: baseline)
            try save(alertState.drainChanges(), in: connection)
            return alertState
        }
    }

    // MARK: Loading

    private static let timestampFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    typealias ReadingState = (began: Date, position: LogCursor?, since: KoreanDate?, baseline: BaselinePosition)

    static func readingState(in connection: Connection) throws -> ReadingState? {
        let rows = try connection.query(
            "select began, position, since, baseline from reading", as: String.self, [UInt8]?.self, String?.self,
            [UInt8].self)
        return try rows.first.map { began, position, since, baseline in
            (
                began: try Date(began, strategy: timestampFormat),
                position: try position.map { try JSON.decode(from: $0) }, since: since.flatMap { KoreanDate($0) },
                baseline: try JSON.decode(from: baseline)
            )
        }
    }

    func storedMarkets(in connection: Connection) throws -> [Market] {
        try connection.query("select market from market", as: String.self).compactMap { (market: String) in
            Market(market)
        }
    }

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

    // MARK: Saving

    func save(_ changes: AlertState.Changes, in connection: Connection) throws {
        if let products = changes.products { try save(products, in: connection) }
        try connection.execute(
            """
            insert into reading (id, began, position, since, baseline) values (1, ?, ?, ?, ?)
            on conflict (id) do update set began = excluded.began, position = excluded.position,
                since = excluded.since, baseline = excluded.baseline
            """,
            changes.began.formatted(Self.timestampFormat), try changes.position.map { try JSON.encode($0) },
            changes.since?.description, try JSON.encode(changes.baseline))
        for market in changes.markets { try save(market, in: connection) }
    }

    private func save(_ changes: MarketState.Changes, in connection: Connection) throws {
        let market = changes.market.description
        if changes.isReset {
            try connection.execute("delete from open_chart where market = ?", market)
            try connection.execute("delete from known_day where market = ?", market)
            try connection.execute("delete from movie where market = ?", market)
            try connection.execute("delete from decision where market = ?", market)
        }
        try connection.execute(
            """
            insert into market (market, newest_day) values (?, ?)
            on conflict (market) do update set newest_day = excluded.newest_day
            """, market, changes.newestDay?.description)
        for (day, leader) in changes.leaders {
            try connection.execute(
                """
                insert into known_day (market, date, leader) values (?, ?, ?)
                on conflict (market, date) do update set leader = excluded.leader
                """, market, day.description, leader?.description)
        }
        for chart in changes.charts {
            try connection.execute(
                """
                insert into open_chart (market, date, sequence, chart) values (?, ?, ?, ?)
                on conflict (market, date) do update set sequence = excluded.sequence, chart = excluded.chart
                """, market, chart.date.description, chart.evidence.sequence, chart.json)
        }
        for (code, movie) in changes.movies { try save(movie, code, market, in: connection) }
        if let first = changes.correctableSince?.description {
            try connection.execute("delete from open_chart where market = ? and date < ?", market, first)
            try connection.execute("delete from decision where market = ? and date < ?", market, first)
        }
    }

    private func save(_ movie: MovieState, _ code: MovieCode, _ market: String, in connection: Connection) throws {
        let totals = movie.settled
        try connection.execute(
            """
            insert into movie (market, code, first_day, last_day, best_day, best_audience, total)
            values (?, ?, ?, ?, ?, ?, ?)
            on conflict (market, code) do update set first_day = excluded.first_day, last_day = excluded.last_day,
                best_day = excluded.best_day, best_audience = excluded.best_audience, total = excluded.total
            """, market, code.description, totals.first?.description, totals.last?.description,
            totals.best?.day.description, totals.best?.audience, totals.total)
    }

    /// Writes which alerts stand, without those that can never be retracted.
    func save(_ decisions: [Decision], in connection: Connection) throws {
        for decision in decisions where decision.isRetractable {
            let alert = decision.alert
            try connection.execute(
                """
                insert into decision (id, market, date, is_standing) values (?, ?, ?, ?)
                on conflict (id) do update set market = excluded.market, date = excluded.date,
                    is_standing = excluded.is_standing
                """,
                alert.retracts ?? decision.id, (alert.market ?? .all).description, alert.date.description,
                alert.retracts == nil ? 1 : 0)
        }
    }

    /// Deletes the states of all other markets, but not their decisions.
    func deleteMarkets(except kept: Set<Market>, in connection: Connection) throws {
        // Nothing would update such a state any more, and rules would trust it once there are some for the market again.
        for market in try storedMarkets(in: connection) where !kept.contains(market) {
            try connection.execute("delete from market where market = ?", market.description)
            try connection.execute("delete from open_chart where market = ?", market.description)
            try connection.execute("delete from known_day where market = ?", market.description)
            try connection.execute("delete from movie where market = ?", market.description)
        }
    }

    // MARK: Schema

    /// `open_chart` holds the charts that a correction can still change, `known_day` all days with a chart and who led, `movie`
    /// the movies' totals of older days, `decision` the alerts of recent days, and `product_reading` since when products are
    /// known.
    private static let tables = """
        create table reading (
            id integer primary key check (id = 1),
            began text not null,
            position blob,
            since text,
            baseline blob not null
        ) strict;

        create table market (
            market text primary key,
            newest_day text
        ) strict, without rowid;

        create table open_chart (
            market text not null,
            date text not null,
            sequence integer not null,
            chart blob not null,
            primary key (market, date)
        ) strict, without rowid;

        create table known_day (
            market text not null,
            date text not null,
            leader text,
            primary key (market, date)
        ) strict, without rowid;

        create table movie (
            market text not null,
            code text not null,
            first_day text,
            last_day text,
            best_day text,
            best_audience integer,
            total integer,
            primary key (market, code)
        ) strict, without rowid;

        create table decision (
            id text primary key,
            market text not null,
            date text not null,
            is_standing integer not null
        ) strict, without rowid;
        create index decision_day on decision (market, date);

        create table product_reading (
            id integer primary key check (id = 1),
            began integer not null,
            opened integer
        ) strict;

        create table product (
            id integer primary key,
            seen integer not null,
            name text,
            currency text,
            price text,
            discount text,
            bargain_price text,
            stock integer
        ) strict;
        """
}
