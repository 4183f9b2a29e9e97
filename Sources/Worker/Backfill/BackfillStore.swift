import BoxOffice
import Contract
import EventStore
import FoundationEssentials
import Storage

/// A range of history to fetch: all charts of some days, newest first.
struct BackfillJob: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        /// Its index in the job: the newest day comes first.
        let index: Int
        /// Its name in the ids of requests, such as `day.2003-11-11`.
        let name: String
        let attempts: Int

        func id(in job: Int) -> RequestID? {
            RequestID("\(BackfillService.prefix)\(job).\(name)" + (attempts > 0 ? ".\(attempts + 1)" : ""))
        }

        var isMovie: Bool { name.hasPrefix("movie.") }

        /// Returns what to request: for a movie also the poster if `withPosters`. Nil if the name cannot be parsed.
        func target(withPosters: Bool) -> Request.Target? {
            let words = name.split(separator: ".")
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "day": return KoreanDate(words[1]).map { .day($0, .all) }
            case "movie": return MovieCode(words[1]).map { .movie($0, poster: withPosters) }
            default:
                guard let span = Week.Span(rawValue: String(words[0])), let day = KoreanDate(words[1]) else {
                    return nil
                }
                return .week(Week(of: day, span: span), .all)
            }
        }
    }

    /// Its number, which is part of the ids of its requests.
    let number: Int
    let first: KoreanDate
    let last: KoreanDate
    let weeks: Bool
    let movies: Bool
    /// Whether the worker began it by itself, because its log was new.
    let isInitial: Bool
    let isOver: Bool

    /// Returns the names of a job's charts: each day, and after it the weeks that end with it.
    static func names(_ days: ClosedRange<KoreanDate>, weeks: Bool) -> [String] {
        (0...(days.upperBound - days.lowerBound)).flatMap { back in
            let day = days.upperBound - back
            let ending = weeks ? Week.Span.allCases.map { Week(of: day, span: $0) }.filter { $0.lastDay == day } : []
            return ["day.\(day)"] + ending.map { "\($0.span.rawValue).\($0.firstDay)" }
        }
    }
}

/// Backfill jobs and their items, in the worker's database. The job keeps no state but its items and the inbox: the
/// next cycle repairs a crash between two steps.
struct BackfillStore {
    enum State: Int {
        case waiting = 0
        case requested = 1
        case done = 2
        case failed = 3
    }

    static let tables = """
        create table backfill (
            number integer primary key,
            first text not null,
            last text not null,
            weeks integer not null,
            movies integer not null,
            is_initial integer not null,
            has_listed_movies integer not null default 0,
            is_over integer not null default 0
        ) strict;

        create table backfill_item (
            job integer not null,
            place integer not null,
            name text not null,
            attempts integer not null default 0,
            state integer not null default 0,
            primary key (job, place)
        ) strict, without rowid;
        create index backfill_item_state on backfill_item (job, state, place);
        """

    private let transaction: StoreTransaction
    private var connection: Connection { transaction.connection }

    init(_ transaction: StoreTransaction) {
        self.transaction = transaction
    }

    func isEmpty() throws(DatabaseError) -> Bool {
        try connection.query("select 1 from backfill limit 1", as: Int.self).isEmpty
    }

    /// Creates a job and returns its number; an equal job that is not over is returned instead.
    func begin(
        _ days: ClosedRange<KoreanDate>, weeks: Bool = false, movies: Bool = false, isInitial: Bool = false
    ) throws(DatabaseError) -> Int {
        let known = try connection.query(
            "select number from backfill where first = ? and last = ? and weeks = ? and movies = ? and is_over = 0",
            days.lowerBound.description, days.upperBound.description, weeks ? 1 : 0, movies ? 1 : 0, as: Int.self)
        if let number = known.first { return number }
        let number = try connection.query(
            "insert into backfill (first, last, weeks, movies, is_initial) values (?, ?, ?, ?, ?) returning number",
            days.lowerBound.description, days.upperBound.description, weeks ? 1 : 0, movies ? 1 : 0,
            isInitial ? 1 : 0, as: Int.self)[0]
        try add(BackfillJob.names(days, weeks: weeks), to: number)
        return number
    }

    func stop() throws(DatabaseError) {
        try connection.execute("update backfill set is_over = 1 where is_over = 0")
    }

    /// Returns the job to work on: the first that is not over.
    func current() throws(DatabaseError) -> BackfillJob? {
        try job(
            """
            select number, first, last, weeks, movies, is_initial, is_over from backfill where is_over = 0
            order by number limit 1
            """)
    }

    /// Returns the newest job that is not over, or else the newest that is.
    func newest() throws(DatabaseError) -> BackfillJob? {
        try job(
            """
            select number, first, last, weeks, movies, is_initial, is_over from backfill
            order by is_over, number desc limit 1
            """)
    }

    private func job(_ query: StaticString) throws(DatabaseError) -> BackfillJob? {
        let rows = try connection.query(
            query, as: Int.self, String.self, String.self, Int.self, Int.self, Int.self, Int.self)
        guard let (number, first, last, weeks, movies, isInitial, isOver) = rows.first,
            let first = KoreanDate(first), let last = KoreanDate(last)
        else { return nil }
        return BackfillJob(
            number: number, first: first, last: last, weeks: weeks == 1, movies: movies == 1,
            isInitial: isInitial == 1, isOver: isOver == 1)
    }

    func items(of job: Int, in state: State, limit: Int) throws(DatabaseError) -> [BackfillJob.Item] {
        try connection.query(
            "select place, name, attempts from backfill_item where job = ? and state = ? order by place limit ?", job,
            state.rawValue, limit, as: Int.self, String.self, Int.self
        ).map(BackfillJob.Item.init)
    }

    func counts(of job: Int) throws(DatabaseError) -> [State: Int] {
        let rows = try connection.query(
            "select state, count(*) from backfill_item where job = ? group by state", job, as: Int.self, Int.self)
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in State(rawValue: row.0).map { ($0, row.1) } })
    }

    /// Changes the state of items. An item that returns to `waiting` has failed, and its attempts are counted.
    func move(_ items: [BackfillJob.Item], of job: Int, to state: State) throws(DatabaseError) {
        for item in items {
            try connection.execute(
                "update backfill_item set state = ?, attempts = attempts + ? where job = ? and place = ?",
                state.rawValue, state == .waiting ? 1 : 0, job, item.index)
        }
    }

    func hasUnlistedMovies(_ job: BackfillJob) throws(DatabaseError) -> Bool {
        let listed = try connection.query(
            "select has_listed_movies from backfill where number = ?", job.number, as: Int.self)
        return job.movies && listed == [0]
    }

    func add(_ movies: [MovieCode], to job: BackfillJob) throws(DatabaseError) {
        try add(movies.map { "movie.\($0)" }, to: job.number)
        try connection.execute("update backfill set has_listed_movies = 1 where number = ?", job.number)
    }

    func end(_ job: BackfillJob) throws(DatabaseError) {
        try connection.execute("update backfill set is_over = 1 where number = ?", job.number)
    }

    /// Whether an item needs no request: its figures are settled, or recent enough for the schedule to refresh them; or a
    /// movie's details are known, and its poster if posters are fetched.
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
        guard let chart = try transaction.chart(topic) else { return false }
        return chart.state == .settled || Chart.state(of: lastDay, at: now) == .provisional
    }

    private func isKnown(_ code: MovieCode, withPosters: Bool) throws -> Bool {
        guard try transaction.latest(.movie(code)) != nil else { return false }
        return try !withPosters || transaction.latest(.poster(code)) != nil
    }

    /// Returns the movies in the national charts of some days whose details or posters are unknown, by their codes.
    func unknownMovies(in days: ClosedRange<KoreanDate>, withPosters: Bool) throws -> [MovieCode] {
        var movies: Set<MovieCode> = []
        for index in 0...(days.upperBound - days.lowerBound) {
            let chart = try transaction.chart(.ranking(day: days.lowerBound + index, market: .all))
            movies.formUnion(chart?.entries.map(\.movieCode) ?? [])
        }
        return try movies.filter { try !isKnown($0, withPosters: withPosters) }
            .sorted { $0.description < $1.description }
    }

    private func add(_ names: [String], to job: Int) throws(DatabaseError) {
        let count = try connection.query("select count(*) from backfill_item where job = ?", job, as: Int.self)[0]
        for (index, name) in names.enumerated() {
            try connection.execute(
                "insert into backfill_item (job, place, name) values (?, ?, ?)", job, count + index, name)
        }
    }
}
