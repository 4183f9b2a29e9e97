import BoxOffice

/// What is known of one market: which days, the charts of recent days, the movies, and the alerts of recent days.
///
/// A day is recent while a correction can still change it: the last 35 days, or all days from four weeks before `since` on.
/// Of an older day only its leader and the movies' totals remain.
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
    /// All known days, recent and older ones.
    private(set) var knownDays: KnownDays
    /// The alerts of recent days.
    private(set) var decided: [KoreanDate: Decisions] = [:]
    // A chart that comes late may show that an earlier day passed a milestone, too: the source corrects totals without the
    // audiences that they are made of.
    private var standingMilestones: Set<PassedMilestone> = []

    /// The day since which all days are recent; nil for the last 35.
    private var since: KoreanDate?
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

    /// A milestone that an alert says a movie has passed.
    private struct PassedMilestone: Hashable {
        let movie: MovieCode
        let number: Int

        init?(_ alert: Alert) {
            guard let number = alert.milestone, let movie = alert.movieCode else { return nil }
            (self.movie, self.number) = (movie, number)
        }
    }

    /// What has changed since the last write.
    struct Changes: Sendable {
        var days: Set<KoreanDate> = []
        /// The days whose leaders changed.
        var leaders: Set<KoreanDate> = []
        var movies: Set<MovieCode> = []
        /// Whether all that was written before is to be deleted.
        var isReset = false
    }

    /// Makes an empty state; days up to `newestDay` fire nothing.
    init(market: Market, since: KoreanDate? = nil, newestDay: KoreanDate? = nil) {
        self.init(market: market, since: since, newestDay: newestDay, movies: [:], knownDays: KnownDays())
    }

    /// Makes a state that was stored.
    init(
        market: Market, since: KoreanDate?, newestDay: KoreanDate?, movies: [MovieCode: MovieState],
        knownDays: KnownDays
    ) {
        self.market = market
        self.since = since
        self.newestDay = newestDay
        self.movies = movies
        self.knownDays = knownDays
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
        // The sentences of the first days from `since` on tell movies from those of the weeks before.
        let first = since.map { $0 - RuleContext.namesakeDays }
        guard let newestDay else { return first }
        let usual = newestDay - Self.openDays
        return first.map { min($0, usual) } ?? usual
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
        knownDays.insert(day, leader: chart.leader)
        changes.leaders.insert(day)
        if day > newestDay ?? day - 1 {
            newestDay = day
            settle()
        }
        guard isOpen(day) else {
            for line in chart.lines {
                movies[line.movie.code, default: MovieState()].settle(line.appearance(on: day))
                changes.movies.insert(line.movie.code)
            }
            return
        }
        if let earlier = days.updateValue(chart, forKey: day) {
            for line in earlier.lines { movies[line.movie.code]?.remove(day) }
        }
        changes.days.insert(day)
        for line in chart.lines {
            movies[line.movie.code, default: MovieState()].insert(line.appearance(on: day))
        }
    }

    /// Settles the days that only `since` kept recent.
    mutating func endHistory() {
        since = nil
        settle()
    }

    /// Settles the days that no correction can change any more.
    private mutating func settle() {
        guard let horizon, horizon != settledUntil else { return }
        settledUntil = horizon
        for (day, chart) in days.filter({ $0.key < horizon }).sorted(by: { $0.key < $1.key }) {
            for line in chart.lines {
                movies[line.movie.code]?.settle(before: horizon)
                changes.movies.insert(line.movie.code)
            }
            days[day] = nil
            decided[day] = nil
            changes.days.remove(day)
        }
    }
}

// MARK: - Alerts

extension MarketState {
    /// Records an alert; returns false if it has fired before, or if its milestone stands on another day.
    mutating func record(_ alert: Alert) -> Bool {
        if let milestone = PassedMilestone(alert), standingMilestones.contains(milestone) { return false }
        guard decided[alert.date, default: Decisions()].ids.insert(alert.id).inserted else { return false }
        addStanding(alert)
        return true
    }

    /// Records that an alert was retracted.
    mutating func recordRetraction(of alert: Alert) {
        decided[alert.date]?.standing.removeAll { $0.id == alert.id }
        if let milestone = PassedMilestone(alert) { standingMilestones.remove(milestone) }
    }

    private mutating func addStanding(_ alert: Alert) {
        decided[alert.date, default: Decisions()].standing.append(alert)
        if let milestone = PassedMilestone(alert) { standingMilestones.insert(milestone) }
    }

    /// Records an alert of an earlier run.
    mutating func restore(_ alert: Alert, isStanding: Bool) {
        decided[alert.date, default: Decisions()].ids.insert(alert.id)
        if isStanding { addStanding(alert) }
    }
}

extension Chart {
    /// The movie on line 1.
    var leader: ChartEntry? { entries.first { $0.line == 1 } }
}
