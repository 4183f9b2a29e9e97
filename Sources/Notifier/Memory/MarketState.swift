import BoxOffice

/// What is known of one market: the charts of recent days, the films' histories, and the alerts of those days.
///
/// Recent is what a correction may still change: the last 35 days, or all from the day before `since` on. What is older
/// counts for the films' histories alone, where it can only add. So a book grows by films, not by days.
struct MarketState: Sendable {
    /// How many days stay open to corrections; the worker asks for a day a last time after 30.
    static let openDays = 35

    /// The market.
    let market: Market
    /// The newest day of which a chart is known.
    private(set) var newestDay: KoreanDate?
    /// The charts of the recent days.
    private(set) var days: [KoreanDate: RecentChart] = [:]
    /// What is known of the films.
    private(set) var movies: [MovieCode: MovieState] = [:]
    /// The last reign that is known from before the recent days.
    private(set) var reign: LeadStreak?
    /// The alerts of recent days.
    private(set) var decided: [KoreanDate: Decisions] = [:]
    /// What has changed since it was last written.
    private(set) var changes = Changes()

    private let since: KoreanDate?
    /// The recent charts that were read last: rules look at a day and at the one before.
    private var lately: [SourcedChart] = []
    /// The day before which all days are settled.
    private var settledUntil: KoreanDate?

    /// The alerts of a day.
    struct Decisions: Sendable {
        /// Those that stand, in the order in which they fired.
        var standing: [Alert] = []
        /// The ids of all that ever fired.
        var ids: Set<String> = []
    }

    /// What has to be written for the book to be on disk.
    struct Changes: Sendable {
        var days: Set<KoreanDate> = []
        var movies: Set<MovieCode> = []
        /// Whether all that was known before is forgotten.
        var isForgotten = false
    }

    /// Makes an empty book; `newestDay` is that of charts that it need not know.
    init(market: Market, since: KoreanDate? = nil, newestDay: KoreanDate? = nil) {
        self.market = market
        self.since = since
        self.newestDay = newestDay
    }

    /// Makes a book of what was stored.
    init(
        market: Market, since: KoreanDate?, newestDay: KoreanDate?, movies: [MovieCode: MovieState], reign: LeadStreak?
    ) {
        self.init(market: market, since: since, newestDay: newestDay)
        self.movies = movies
        self.reign = reign
    }

    /// The first of the recent days; nil as long as no day is known.
    var horizon: KoreanDate? {
        guard let newestDay else { return since.map { $0 - 1 } }
        let usual = newestDay - Self.openDays
        return since.map { min($0 - 1, usual) } ?? usual
    }

    /// Whether a day's chart can still be changed by a correction.
    func isOpen(_ day: KoreanDate) -> Bool { horizon.map { day >= $0 } ?? true }

    /// All of a recent day's chart, if it is known.
    func chart(of day: KoreanDate) -> SourcedChart? {
        guard let open = days[day] else { return nil }
        // A chart of which only a part can be read, as a newer worker may write one, is as good as none.
        return lately.first { $0.chart.date == day } ?? (try? open.read())
    }

    /// Takes a chart in that was read, and its JSON, if that is at hand.
    mutating func learn(_ chart: SourcedChart, json: [UInt8]?) {
        learn(RecentChart(chart, json: json))
        lately = lately.suffix(1) + [chart]
    }

    /// Takes a chart in.
    mutating func learn(_ chart: RecentChart) {
        let day = chart.date
        lately.removeAll { $0.chart.date == day }
        if day > newestDay ?? day - 1 {
            newestDay = day
            settle()
        }
        guard isOpen(day) else {
            for line in chart.lines {
                movies[line.movie, default: MovieState()].settle(line.appearance(on: day))
                changes.movies.insert(line.movie)
            }
            if let leader = chart.leader { note(leader, on: day) }
            return
        }
        if let earlier = days.updateValue(chart, forKey: day) {
            for line in earlier.lines { movies[line.movie]?.forget(day) }
        }
        changes.days.insert(day)
        // The first of a film's lines, if a chart names it twice.
        for line in chart.lines.reversed() {
            movies[line.movie, default: MovieState()].note(line.appearance(on: day))
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
            if let leader = chart.leader { note(leader, on: day) }
            days[day] = nil
            decided[day] = nil
            changes.days.remove(day)
        }
    }

    private mutating func note(_ leader: MovieCode, on day: KoreanDate) {
        if reign?.extend(by: day, ledBy: leader) == true { return }
        if reign.map({ day > $0.until }) ?? true { reign = LeadStreak(of: leader, since: day, until: day) }
    }

    /// Who led up to a day, and for how many known days in a row.
    func reign(upTo day: KoreanDate) -> LeadStreak? {
        guard let leader = days[day]?.leader else {
            return reign.flatMap { $0.until == day ? $0 : nil }
        }
        var since = day
        while days[since - 1]?.leader == leader { since = since - 1 }
        if let earlier = reign, days[since - 1] == nil, earlier.leader == leader, earlier.until == since - 1 {
            since = earlier.since
        }
        return LeadStreak(of: leader, since: since, until: day)
    }

    /// Notes that an alert fired, or that one is taken back; returns false if it is known that it fired.
    @discardableResult
    mutating func note(_ alert: Alert) -> Bool {
        let isNew = decided[alert.date, default: Decisions()].ids.insert(alert.retracts ?? alert.id).inserted
        if let retracted = alert.retracts {
            decided[alert.date]?.standing.removeAll { $0.id == retracted }
        } else {
            guard isNew else { return false }
            decided[alert.date]?.standing.append(alert)
        }
        if let milestone = alert.milestone, let movie = alert.movieCode {
            if alert.retracts == nil {
                movies[movie]?.owed.remove(milestone)
            } else {
                movies[movie]?.owed.insert(milestone)
            }
            changes.movies.insert(movie)
        }
        return true
    }

    /// Notes an alert of an earlier run.
    mutating func recall(_ alert: Alert, isStanding: Bool) {
        decided[alert.date, default: Decisions()].ids.insert(alert.id)
        if isStanding { decided[alert.date]?.standing.append(alert) }
    }

    /// Forgets all but the newest day, as when its charts turn out to be another log's.
    mutating func forget() {
        self = MarketState(market: market, since: since, newestDay: newestDay)
        changes.isForgotten = true
    }

    /// What has changed since this was last asked.
    mutating func takeChanges() -> Changes {
        defer { changes = Changes() }
        return changes
    }
}
