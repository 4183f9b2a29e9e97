import BoxOffice

/// What is known of one market: the charts of recent days, the movies, and the alerts of recent days.
///
/// A day is recent while a correction can still change it: the last 35 days, or all days from the one before `since` on.
/// Of older days only the movies' totals remain, so the state grows with the number of movies, not of days.
struct MarketState: Sendable {
    /// The number of days that a correction can still change; the worker fetches a day for the last time after 30.
    static let openDays = 35

    /// The market.
    let market: Market
    /// The newest day with a known chart.
    private(set) var newestDay: KoreanDate?
    /// The charts of recent days.
    private(set) var days: [KoreanDate: RecentChart] = [:]
    /// The movies.
    private(set) var movies: [MovieCode: MovieState] = [:]
    /// The last streak that ended before the recent days.
    private(set) var leadStreak: LeadStreak?
    /// The alerts of recent days.
    private(set) var decided: [KoreanDate: Decisions] = [:]

    private let since: KoreanDate?
    private var changes = Changes()
    /// The two recent charts that were read last: rules compare a day with the one before.
    private var readCharts: [SourcedChart] = []
    /// The day before which all days are settled.
    private var settledUntil: KoreanDate?

    /// The alerts of a day.
    struct Decisions: Sendable {
        /// The alerts that were not retracted, in the order in which they fired.
        var standing: [Alert] = []
        /// The ids of all alerts that ever fired.
        var ids: Set<String> = []
    }

    /// What has changed since the last write.
    struct Changes: Sendable {
        var days: Set<KoreanDate> = []
        var movies: Set<MovieCode> = []
        /// Whether all that was written before is to be deleted.
        var isReset = false
    }

    /// Makes an empty state; days up to `newestDay` fire nothing.
    init(market: Market, since: KoreanDate? = nil, newestDay: KoreanDate? = nil) {
        self.market = market
        self.since = since
        self.newestDay = newestDay
    }

    /// Makes a state that was stored.
    init(
        market: Market, since: KoreanDate?, newestDay: KoreanDate?, movies: [MovieCode: MovieState],
        leadStreak: LeadStreak?
    ) {
        self.init(market: market, since: since, newestDay: newestDay)
        self.movies = movies
        self.leadStreak = leadStreak
    }

    /// Returns the changes since the last call.
    mutating func drainChanges() -> Changes {
        defer { changes = Changes() }
        return changes
    }

    /// Removes everything but the newest day.
    mutating func reset() {
        self = MarketState(market: market, since: since, newestDay: newestDay)
        changes.isReset = true
    }
}

// MARK: - Charts

extension MarketState {
    /// The first recent day; nil as long as no day is known.
    var horizon: KoreanDate? {
        guard let newestDay else { return since.map { $0 - 1 } }
        let usual = newestDay - Self.openDays
        return since.map { min($0 - 1, usual) } ?? usual
    }

    /// Whether a correction can still change a day's chart.
    func isOpen(_ day: KoreanDate) -> Bool { horizon.map { day >= $0 } ?? true }

    /// Returns a recent day's chart, if it is known and can be read.
    func chart(of day: KoreanDate) -> SourcedChart? {
        guard let recent = days[day] else { return nil }
        // A newer worker may write a chart of which this notifier can read only the lines. Rules do without it.
        return readCharts.first { $0.chart.date == day } ?? (try? recent.read())
    }

    /// Inserts a chart that was read whole.
    mutating func insert(_ chart: SourcedChart, json: [UInt8]?) {
        insert(RecentChart(chart, json: json))
        readCharts = readCharts.suffix(1) + [chart]
    }

    /// Inserts a chart, or replaces an earlier revision.
    mutating func insert(_ chart: RecentChart) {
        let day = chart.date
        readCharts.removeAll { $0.chart.date == day }
        if day > newestDay ?? day - 1 {
            newestDay = day
            settle()
        }
        guard isOpen(day) else {
            for line in chart.lines {
                movies[line.movie, default: MovieState()].settle(line.appearance(on: day))
                changes.movies.insert(line.movie)
            }
            if let leader = chart.leader { extendLeadStreak(by: day, ledBy: leader) }
            return
        }
        if let earlier = days.updateValue(chart, forKey: day) {
            for line in earlier.lines { movies[line.movie]?.remove(day) }
        }
        changes.days.insert(day)
        // Reversed, so that the first line counts if a chart names a movie twice.
        for line in chart.lines.reversed() {
            movies[line.movie, default: MovieState()].insert(line.appearance(on: day))
        }
    }

    /// Settles the days that no correction can change any more.
    private mutating func settle() {
        guard let horizon, horizon != settledUntil else { return }
        settledUntil = horizon
        for (day, chart) in days.filter({ $0.key < horizon }).sorted(by: { $0.key < $1.key }) {
            for line in chart.lines {
                movies[line.movie]?.settle(before: horizon)
                changes.movies.insert(line.movie)
            }
            if let leader = chart.leader { extendLeadStreak(by: day, ledBy: leader) }
            days[day] = nil
            decided[day] = nil
            changes.days.remove(day)
        }
    }
}

// MARK: - Alerts

extension MarketState {
    /// Records an alert or a retraction; returns false if the alert has fired before.
    @discardableResult
    mutating func record(_ alert: Alert) -> Bool {
        let isNew = decided[alert.date, default: Decisions()].ids.insert(alert.retracts ?? alert.id).inserted
        if let retracted = alert.retracts {
            decided[alert.date]?.standing.removeAll { $0.id == retracted }
        } else {
            guard isNew else { return false }
            decided[alert.date]?.standing.append(alert)
        }
        if let milestone = alert.milestone, let movie = alert.movieCode {
            if alert.retracts == nil {
                movies[movie]?.retractedMilestones.remove(milestone)
            } else {
                movies[movie]?.retractedMilestones.insert(milestone)
            }
            changes.movies.insert(movie)
        }
        return true
    }

    /// Records an alert of an earlier run.
    mutating func restore(_ alert: Alert, isStanding: Bool) {
        decided[alert.date, default: Decisions()].ids.insert(alert.id)
        if isStanding { decided[alert.date]?.standing.append(alert) }
    }
}

// MARK: - Lead streak

/// A movie's consecutive days at the top of the chart.
struct LeadStreak: Hashable, Sendable {
    /// The movie.
    let leader: MovieCode
    /// The first known day.
    private(set) var since: KoreanDate
    /// The last known day.
    private(set) var until: KoreanDate

    /// The number of days.
    var days: Int { until - since + 1 }

    /// Makes a streak.
    init(of leader: MovieCode, since: KoreanDate, until: KoreanDate) {
        self.leader = leader
        self.since = since
        self.until = until
    }

    /// Adds the day before or after the streak, if the same movie led on it; returns whether it did.
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

extension MarketState {
    /// Returns the streak that includes `day`, over the consecutive days that are known.
    func leadStreak(upTo day: KoreanDate) -> LeadStreak? {
        guard let leader = days[day]?.leader else {
            return leadStreak.flatMap { $0.until == day ? $0 : nil }
        }
        var since = day
        while days[since - 1]?.leader == leader { since = since - 1 }
        if let earlier = leadStreak, days[since - 1] == nil, earlier.leader == leader, earlier.until == since - 1 {
            since = earlier.since
        }
        return LeadStreak(of: leader, since: since, until: day)
    }

    private mutating func extendLeadStreak(by day: KoreanDate, ledBy leader: MovieCode) {
        if leadStreak?.extend(by: day, ledBy: leader) == true { return }
        if leadStreak.map({ day > $0.until }) ?? true {
            leadStreak = LeadStreak(of: leader, since: day, until: day)
        }
    }
}

extension Chart {
    /// The movie on line 1.
    var leader: ChartEntry? { entries.first { $0.line == 1 } }
}
