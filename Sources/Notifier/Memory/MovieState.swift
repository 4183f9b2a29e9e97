import BoxOffice

/// What is known of a film from the days before some day.
struct MovieTotals: Hashable, Sendable {
    /// A day's admissions.
    struct Day: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int
    }

    /// The first day in a chart.
    private(set) var first: KoreanDate?
    /// The last one.
    private(set) var last: KoreanDate?
    /// The day with the most admissions, the first of equals.
    private(set) var best: Day?
    /// The highest total of admissions.
    private(set) var total: Int?

    /// Makes a past of which nothing is known.
    init() {}

    /// Makes a past that was stored.
    init(first: KoreanDate?, last: KoreanDate?, best: Day?, total: Int?) {
        self.first = first
        self.last = last
        self.best = best
        self.total = total
    }

    /// Takes a day in, in whatever order days come; one that comes again can only add.
    mutating func take(_ appearance: MovieState.Appearance) {
        let day = appearance.day
        first = min(first ?? day, day)
        last = max(last ?? day, day)
        if let audience = appearance.audience, best.map({ ($0.audience, day) < (audience, $0.day) }) ?? true {
            best = Day(day: day, audience: audience)
        }
        if let total = appearance.total { self.total = max(self.total ?? total, total) }
    }
}

/// What the rules remember of a film: its recent days, each of which may still be corrected, and the sum of the rest.
struct MovieState: Hashable, Sendable {
    /// A day of the film.
    struct Appearance: Hashable, Sendable {
        let day: KoreanDate
        let audience: Int?
        let total: Int?
    }

    /// What came before the recent days.
    private(set) var settled: MovieTotals
    /// Milestones whose alerts were taken back.
    var owed: Set<Int>
    private var recent: [Appearance] = []

    /// Makes the history of a film of which no recent day is known.
    init(settled: MovieTotals = MovieTotals(), owed: Set<Int> = []) {
        self.settled = settled
        self.owed = owed
    }

    /// Notes a recent day, in the place of what was known of it.
    mutating func note(_ appearance: Appearance) {
        if let last = recent.last, last.day >= appearance.day {
            let place = recent.firstIndex { $0.day >= appearance.day } ?? recent.endIndex
            if place < recent.endIndex, recent[place].day == appearance.day {
                recent[place] = appearance
            } else {
                recent.insert(appearance, at: place)
            }
        } else {
            recent.append(appearance)
        }
    }

    /// Forgets a recent day: the film is not in its chart any more.
    mutating func forget(_ day: KoreanDate) {
        recent.removeAll { $0.day == day }
    }

    /// Notes a day that no correction can take away any more.
    mutating func settle(_ appearance: Appearance) {
        settled.take(appearance)
    }

    /// Settles the recent days before `horizon`.
    mutating func settle(before horizon: KoreanDate) {
        let count = recent.prefix { $0.day < horizon }.count
        for appearance in recent.prefix(count) { settled.take(appearance) }
        recent.removeFirst(count)
    }

    /// What is known from the days before `day`.
    func past(before day: KoreanDate) -> MovieTotals {
        var past = settled
        for appearance in recent {
            guard appearance.day < day else { break }
            past.take(appearance)
        }
        return past
    }
}
