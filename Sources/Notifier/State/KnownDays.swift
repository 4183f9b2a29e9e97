import BoxOffice

/// The days of one market whose charts are known, and the movie that led on each.
///
/// An alert that counts days fires only if all of them are here: a day without a chart may hold anything.
struct KnownDays: Sendable {
    /// The movie on line 1 of each known day; nil for a chart without that line.
    private var leaders: [KoreanDate: MovieCode?] = [:]

    /// Records a day's chart, or a later revision of it.
    mutating func insert(_ day: KoreanDate, leader: MovieCode?) {
        leaders[day] = .some(leader)
    }

    /// Returns the leader of a known day; nil for a day that is not known.
    subscript(day: KoreanDate) -> MovieCode?? { leaders[day] }

    /// Whether all days from `first` on and before `end` are known.
    func contains(from first: KoreanDate, before end: KoreanDate) -> Bool {
        // From the newest day back, because the oldest days are the ones that are missing.
        var day = end
        while day > first {
            day = day - 1
            if leaders[day] == nil { return false }
        }
        return true
    }

    /// Returns the streak of the movie that led on `day`; nil if the day is not known or has no leader.
    func leadStreak(upTo day: KoreanDate) -> LeadStreak? {
        guard case let leader?? = leaders[day] else { return nil }
        var first = day
        while leaders[first - 1] == .some(leader) { first = first - 1 }
        return LeadStreak(leader: leader, first: first, last: day, isWhole: leaders[first - 1] != nil)
    }
}

/// A movie's consecutive days at the top of the chart.
struct LeadStreak: Hashable, Sendable {
    /// The movie.
    let leader: MovieCode
    /// The first known day.
    let first: KoreanDate
    /// The last day.
    let last: KoreanDate
    /// Whether the streak began on `first`: the day before is known, and another movie led on it.
    let isWhole: Bool

    /// The number of known days.
    var days: Int { last - first + 1 }
}
