import BoxOffice

/// The sums over a movie's days before some day.
struct MovieTotals: Hashable, Sendable {
    struct Day: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int
    }

    /// The first day in a chart.
    private(set) var first: KoreanDate?
    /// The last day in a chart.
    private(set) var last: KoreanDate?
    /// The day with the largest audience; the first of equals.
    private(set) var best: Day?
    /// The highest total audience.
    private(set) var total: Int?

    /// Adds a day, in any order. The same day may be added again: figures only grow.
    mutating func add(_ appearance: MovieState.Appearance) {
        let day = appearance.day
        first = min(first ?? day, day)
        last = max(last ?? day, day)
        if let audience = appearance.audience, best.map({ ($0.audience, day) < (audience, $0.day) }) ?? true {
            best = Day(day: day, audience: audience)
        }
        if let total = appearance.total { self.total = max(self.total ?? total, total) }
    }
}

/// What the rules know of a movie: its recent days, which a correction can still change, and the totals of older ones.
struct MovieState: Hashable, Sendable {
    /// A day of the movie in a chart.
    struct Appearance: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int?
        let total: Int?
    }

    /// The totals of the days before the recent ones.
    private(set) var settled: MovieTotals
    private var recent: [Appearance] = []

    init(settled: MovieTotals = MovieTotals()) {
        self.settled = settled
    }

    /// Inserts a recent day, which is not there yet.
    mutating func insert(_ appearance: Appearance) {
        let index = recent.lastIndex { $0.day < appearance.day }.map { $0 + 1 } ?? 0
        recent.insert(appearance, at: index)
    }

    /// Removes a recent day: the movie is no longer in its chart.
    mutating func remove(_ day: KoreanDate) {
        recent.removeAll { $0.day == day }
    }

    /// Adds a day that no correction can change any more.
    mutating func settle(_ appearance: Appearance) {
        settled.add(appearance)
    }

    /// Moves the recent days before `horizon` to the totals.
    mutating func settle(before horizon: KoreanDate) {
        let count = recent.prefix { $0.day < horizon }.count
        for appearance in recent.prefix(count) { settled.add(appearance) }
        recent.removeFirst(count)
    }

    func totals(before day: KoreanDate) -> MovieTotals {
        var totals = settled
        for appearance in recent {
            guard appearance.day < day else { break }
            totals.add(appearance)
        }
        return totals
    }
}
