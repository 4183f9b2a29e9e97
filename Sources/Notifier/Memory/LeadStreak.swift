import BoxOffice

/// A film's days in a row at the head of the chart.
struct LeadStreak: Hashable, Sendable {
    /// The film.
    let leader: MovieCode
    /// The first of the days that are known.
    private(set) var since: KoreanDate
    /// The last of them.
    private(set) var until: KoreanDate

    /// How many days.
    var days: Int { until - since + 1 }

    /// Makes a reign.
    init(of leader: MovieCode, since: KoreanDate, until: KoreanDate) {
        self.leader = leader
        self.since = since
        self.until = until
    }

    /// Makes the reign longer by a day before or after it, if its film led on that one too; returns whether it did.
    mutating func extend(by day: KoreanDate, ledBy movie: MovieCode) -> Bool {
        guard movie == leader else { return false }
        switch day {
        case since - 1: since = day
        case until + 1: until = day
        default: return false
        }
        return true
    }
}

extension Chart {
    /// The film on line 1.
    var leader: ChartEntry? { entries.first { $0.line == 1 } }
}
