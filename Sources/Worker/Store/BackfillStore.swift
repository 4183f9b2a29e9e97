import BoxOffice
import Contract
import FoundationEssentials
import SQLite

/// Backfill jobs and their items, in the worker's database.
///
/// The job keeps no state but its items and the inbox: the next cycle repairs a crash between two steps.
struct BackfillStore {
    /// The state of an item; the raw values are stored in the table.
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

    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Whether no job was ever created.
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

    /// Ends all jobs; their outstanding requests are finished.
    func stop() throws(DatabaseError) {
        try connection.execute("update backfill set is_over = 1 where is_over = 0")
    }

    /// Returns the job to work on: the first that is not over.
    func current() throws(DatabaseError) -> BackfillJob? {
        try connection.query(
            """
            select number, first, last, weeks, movies, is_initial, is_over from backfill where is_over = 0
            order by number limit 1
            """, as: Int.self, String.self, String.self, Int.self, Int.self, Int.self, Int.self
        ).first.flatMap(Self.job)?.job
    }

    /// Returns the newest job that is not over, or else the newest that is.
    func newest() throws(DatabaseError) -> (job: BackfillJob, isOver: Bool)? {
        try connection.query(
            """
            select number, first, last, weeks, movies, is_initial, is_over from backfill
            order by is_over, number desc limit 1
            """, as: Int.self, String.self, String.self, Int.self, Int.self, Int.self, Int.self
        ).first.flatMap(Self.job)
    }

    /// Returns at most `limit` of a job's items in a state, in their order.
    func items(
        of job: Int, in state: State, limit: Int
    ) throws(DatabaseError) -> [BackfillJob.Item] {
        try connection.query(
            """
            select place, name, attempts from backfill_item where job = ? and state = ? order by place limit ?
            """, job, state.rawValue, limit, as: Int.self, String.self, Int.self
        ).map(BackfillJob.Item.init)
    }

    /// Returns the number of a job's items by state.
    func counts(of job: Int) throws(DatabaseError) -> [State: Int] {
        let rows = try connection.query(
            "select state, count(*) from backfill_item where job = ? group by state", job, as: Int.self, Int.self)
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in State(rawValue: row.0).map { ($0, row.1) } })
    }

    /// Changes the state of items. An item that returns to `waiting` has failed, and its attempts are counted.
    func move(
        _ items: [BackfillJob.Item], of job: Int, to state: State
    ) throws(DatabaseError) {
        for item in items {
            try connection.execute(
                "update backfill_item set state = ?, attempts = attempts + ? where job = ? and place = ?",
                state.rawValue, state == .waiting ? 1 : 0, job, item.index)
        }
    }

    /// Whether the movies in a job's charts still have to be listed.
    func hasUnlistedMovies(_ job: BackfillJob) throws(DatabaseError) -> Bool {
        let listed = try connection.query(
            "select has_listed_movies from backfill where number = ?", job.number, as: Int.self)
        return job.movies && listed == [0]
    }

    /// Adds the movies in a job's charts as items.
    func add(
        _ movies: [MovieCode], to job: BackfillJob
    ) throws(DatabaseError) {
        try add(movies.map { "movie.\($0)" }, to: job.number)
        try connection.execute("update backfill set has_listed_movies = 1 where number = ?", job.number)
    }

    /// Ends a job.
    func end(_ job: BackfillJob) throws(DatabaseError) {
        try connection.execute("update backfill set is_over = 1 where number = ?", job.number)
    }

    private func add(_ names: [String], to job: Int) throws(DatabaseError) {
        let count = try connection.query("select count(*) from backfill_item where job = ?", job, as: Int.self)[0]
        for (index, name) in names.enumerated() {
            try connection.execute(
                "insert into backfill_item (job, place, name) values (?, ?, ?)", job, count + index, name)
        }
    }

    private static func job(
        number: Int, first: String, last: String, weeks: Int, movies: Int, isInitial: Int, isOver: Int
    ) -> (job: BackfillJob, isOver: Bool)? {
        guard let first = KoreanDate(first), let last = KoreanDate(last) else { return nil }
        let job = BackfillJob(
            number: number, first: first, last: last, weeks: weeks == 1, movies: movies == 1, isInitial: isInitial == 1)
        return (job, isOver == 1)
    }
}
