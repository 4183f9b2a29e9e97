import BoxOffice

/// What is known of one market. A day is recent while a correction can still change it: the last 35 days, or all days from
/// four weeks before `since` on. Of an older day only its leader and the movies' totals remain.
///
/// A rule fires for a day only once all days that it rests on are known. A live chart fires what it makes true of the newest
/// eight days; any other chart fires nothing. Only a later revision of a known chart retracts: the alerts that it makes
/// untrue, on whichever day. An alert fires once and is retracted at most once. See docs/decisions/alerts-by-days.md.
struct MarketState: Sendable {
    /// The number of days that a correction can still change; the worker fetches a day for the last time after 30.
    static let openDays = 35
    /// How many days before the newest one still fire.
    static let daysBeforeNewest = 7

    let market: Market
    private(set) var newestDay: KoreanDate?
    private(set) var days: [KoreanDate: RecentChart] = [:]
    private(set) var movies: [MovieCode: MovieState]
    private(set) var knownDays: KnownDays
    private(set) var decided: [KoreanDate: Decisions] = [:]
    // A chart that comes late may show that an earlier day passed a milestone, too: the source corrects totals without the
    // audiences that they are made of.
    private var standingMilestones: Set<PassedMilestone> = []

    /// The day since which all days are recent; nil for the last 35.
    private var since: KoreanDate?
    /// The two recent charts that were read last: rules compare a day with the one before.
    private var readCharts: [SourcedChart] = []
    /// The day before which all days are settled.
    private var settledUntil: KoreanDate?

    // What has changed since the last write: the recent days, the days whose leaders and the movies whose totals did.
    private var changedDays: Set<KoreanDate> = []
    private var changedLeaders: Set<KoreanDate> = []
    private var changedMovies: Set<MovieCode> = []
    private var isReset = false

    struct Decisions: Sendable {
        /// The alerts that were not retracted, in the order in which they fired.
        var standing: [Alert] = []
        /// The ids of all alerts that ever fired.
        var ids: Set<String> = []
    }

    private struct PassedMilestone: Hashable {
        let movie: MovieCode
        let number: Int

        init?(_ alert: Alert) {
            guard let number = alert.milestone, let movie = alert.movieCode else { return nil }
            (self.movie, self.number) = (movie, number)
        }
    }

    /// Makes a state, empty or of what was stored; days up to `newestDay` fire nothing.
    init(
        market: Market, since: KoreanDate? = nil, newestDay: KoreanDate? = nil, movies: [MovieCode: MovieState] = [:],
        knownDays: KnownDays = KnownDays()
    ) {
        self.market = market
        self.since = since
        self.newestDay = newestDay
        self.movies = movies
        self.knownDays = knownDays
    }

    /// Removes everything but the newest day.
    mutating func reset() {
        self = MarketState(market: market, since: since, newestDay: newestDay)
        isReset = true
    }

    // MARK: Changes

    struct Changes: Sendable {
        let market: Market
        /// Whether all rows written before are to be deleted.
        let isReset: Bool
        let newestDay: KoreanDate?
        let leaders: [KoreanDate: MovieCode?]
        /// The first day that a correction can still change; nil as long as no day is known.
        let correctableSince: KoreanDate?
        let charts: [RecentChart]
        let movies: [MovieCode: MovieState]
    }

    mutating func drainChanges() -> Changes {
        defer { (changedDays, changedLeaders, changedMovies, isReset) = ([], [], [], false) }
        return Changes(
            market: market, isReset: isReset, newestDay: newestDay,
            leaders: changedLeaders.reduce(into: [:]) { $0[$1] = knownDays[$1] }, correctableSince: correctableSince,
            charts: changedDays.sorted().compactMap { days[$0] },
            movies: changedMovies.reduce(into: [:]) { $0[$1] = movies[$1] })
    }

    // MARK: Charts

    /// The first recent day; nil as long as no day is known.
    private var horizon: KoreanDate? {
        // The sentences of the first days from `since` on tell movies from those of the weeks before.
        [since.map { $0 - RuleContext.namesakeDays }, correctableSince].compactMap(\.self).min()
    }

    /// The first day on which a correction still retracts, once history is decided; nil as long as no day is known.
    var correctableSince: KoreanDate? { newestDay.map { $0 - Self.openDays } }

    /// Whether a correction can still change a day's chart.
    func isOpen(_ day: KoreanDate) -> Bool { horizon.map { day >= $0 } ?? true }

    /// Returns a recent day's chart, if it is known and can be read.
    func chart(of day: KoreanDate) -> SourcedChart? {
        guard let recent = days[day] else { return nil }
        // A newer worker may write a chart of which this notifier can read only the lines. Rules do without it.
        return readCharts.first { $0.chart.date == day } ?? (try? recent.read())
    }

    /// Whether a recent day's chart is known to lack movies: it has fewer than the revision before or, of the whole market,
    /// than the day before. A movie that is not in it may be on a line that is missing, or has another's code.
    // The worker reports missing lines as an anomaly, but only after the chart.
    func lacksMovies(_ day: KoreanDate) -> Bool {
        guard let chart = days[day] else { return false }
        return chart.hasLostLines || market == .all && chart.lines.count < days[day - 1]?.lines.count ?? 0
    }

    mutating func insert(_ chart: SourcedChart, json: [UInt8]?) {
        insert(RecentChart(chart, json: json))
        readCharts = readCharts.suffix(1) + [chart]
    }

    mutating func insert(_ chart: RecentChart) {
        let day = chart.date
        readCharts.removeAll { $0.chart.date == day }
        knownDays.insert(day, leader: chart.leader)
        changedLeaders.insert(day)
        if day > newestDay ?? day - 1 {
            newestDay = day
            settle()
        }
        guard isOpen(day) else {
            for line in chart.lines {
                movies[line.movie.code, default: MovieState()].settle(line.appearance(on: day))
                changedMovies.insert(line.movie.code)
            }
            return
        }
        if let earlier = days.updateValue(chart, forKey: day) {
            for line in earlier.lines { movies[line.movie.code]?.remove(day) }
        }
        changedDays.insert(day)
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
        for day in days.keys.filter({ $0 < horizon }) {
            for line in days.removeValue(forKey: day)?.lines ?? [] {
                movies[line.movie.code]?.settle(before: horizon)
                changedMovies.insert(line.movie.code)
            }
            decided[day] = nil
            changedDays.remove(day)
        }
    }

    // MARK: Alerts

    /// Applies a chart and returns the alerts to publish: first retractions, then, if a live request brought it, new
    /// ones by day.
    mutating func apply(_ chart: SourcedChart, json: [UInt8]?, isLive: Bool, by rules: AlertRules) -> [Alert] {
        let day = chart.chart.date
        let newest = max(newestDay ?? day, day)
        // A chart that is older may be the last one that an alert of these days has waited for.
        let first = max(day, newest - Self.daysBeforeNewest)
        let days = isLive ? Array(first.dayNumber...newest.dayNumber) : []
        func alerts() -> [Alert] {
            days.flatMap { rules.alerts(of: KoreanDate(dayNumber: $0), in: self) }
        }
        let isRevision = self.days[day] != nil
        // The first chart of the newest day makes all its alerts true.
        let before = Set(isRevision || day < newest ? alerts().map(\.id) : [])
        insert(chart, json: json)
        let refuted = isRevision ? rules.refutedAlerts(after: chart, in: self) : []
        for alert in refuted { recordRetraction(of: alert) }
        var fired = alerts().filter { !before.contains($0.id) && record($0) }
        if isLive { fired += rules.corrections(by: chart, in: self).filter { record($0) } }
        return refuted.map { $0.retracted(by: chart) } + fired
    }

    /// Returns the alerts of a known day that have not fired, whatever was known before its chart came.
    mutating func decide(_ day: KoreanDate, by rules: AlertRules) -> [Alert] {
        rules.alerts(of: day, in: self).filter { record($0) }
    }

    /// Records an alert; returns false if it has fired before, or if its milestone stands on another day.
    private mutating func record(_ alert: Alert) -> Bool {
        if let milestone = PassedMilestone(alert), standingMilestones.contains(milestone) { return false }
        guard decided[alert.date, default: Decisions()].ids.insert(alert.id).inserted else { return false }
        addStanding(alert)
        return true
    }

    private mutating func recordRetraction(of alert: Alert) {
        decided[alert.date]?.standing.removeAll { $0.id == alert.id }
        if let milestone = PassedMilestone(alert) { standingMilestones.remove(milestone) }
    }

    private mutating func addStanding(_ alert: Alert) {
        // Of history only the last days: the other alerts can never be retracted.
        if alert.date >= correctableSince ?? alert.date {
            decided[alert.date, default: Decisions()].standing.append(alert)
        }
        if let milestone = PassedMilestone(alert) { standingMilestones.insert(milestone) }
    }

    mutating func restore(_ alert: Alert, isStanding: Bool) {
        decided[alert.date, default: Decisions()].ids.insert(alert.id)
        if isStanding { addStanding(alert) }
    }
}

extension Chart {
    var leader: ChartEntry? { entries.first { $0.line == 1 } }
}

// MARK: - Known days

/// The days of one market whose charts are known, and the movie that led on each: a day without a chart may hold anything.
struct KnownDays: Sendable {
    /// The movie on line 1 of each known day; nil for a chart without that line.
    private var leaders: [KoreanDate: MovieCode?] = [:]

    mutating func insert(_ day: KoreanDate, leader: MovieCode?) {
        leaders[day] = .some(leader)
    }

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

struct LeadStreak: Hashable, Sendable {
    let leader: MovieCode
    /// The first known day.
    let first: KoreanDate
    let last: KoreanDate
    /// Whether the streak began on `first`: the day before is known, and another movie led on it.
    let isWhole: Bool

    var days: Int { last - first + 1 }
}
