public import BoxOffice

/// Decides which alerts a chart fires, and which it takes back, from what was known when it came.
///
/// Takes charts in the order of the log. A chart of a day that is older than the newest day known changes what is known
/// and fires nothing, so that history causes no storm; but what it shows not to have been so is taken back. A later
/// revision of the newest day is evaluated again. An alert fires once, and is taken back at most once: it does not fire
/// again if a further correction restores what it said.
///
/// With `since`, what counts is the day alone: charts of that day and later ones fire in whatever order they come, and a
/// chart that comes after the one of the day that follows it lets that day's be evaluated, too.
///
/// See docs/decisions/0016-alert-retractions.md.
public struct AlertDecider: Sendable {
    private let rules: AlertRules
    private let since: KoreanDate?
    /// What is known, by market.
    private(set) var books: [Market: MarketState]

    /// Makes a decider that knows no chart yet.
    public init(rules: AlertRules, since: KoreanDate? = nil) {
        self.init(rules: rules, since: since, books: [:])
    }

    /// Makes a decider that knows what some books know.
    init(rules: AlertRules, since: KoreanDate?, books: [Market: MarketState]) {
        self.rules = rules
        self.since = since
        self.books = books
        for market in rules.markets where books[market] == nil {
            self.books[market] = MarketState(market: market, since: since)
        }
    }

    /// The newest day of which a chart of the whole market is known.
    public var newestDay: KoreanDate? { books[.all]?.newestDay }

    /// Takes a chart and returns the alerts to publish, in their order: those that it takes back, then those that fire.
    public mutating func take(_ chart: SourcedChart) -> [Alert] {
        take(chart, json: nil)
    }

    /// Takes a chart likewise, with the JSON that it was read from.
    mutating func take(_ chart: SourcedChart, json: [UInt8]?) -> [Alert] {
        guard var book = books.removeValue(forKey: chart.chart.market) else { return [] }
        defer { books[chart.chart.market] = book }
        book.learn(chart, json: json)
        let day = chart.chart.date
        let retractions = rules.retractions(after: chart, in: book)
        for alert in retractions { book.note(alert) }
        var fired: [Alert] = []
        for day in days(firedBy: day, in: book) {
            fired += rules.alerts(of: day, in: book).filter { book.note($0) }
        }
        if book.newestDay != day, since == nil {
            for alert in rules.corrections(by: chart, in: book) {
                book.note(alert)
                fired.append(alert)
            }
        }
        return retractions + fired
    }

    /// The days whose alerts a chart of `day` lets fire.
    private func days(firedBy day: KoreanDate, in book: MarketState) -> [KoreanDate] {
        if let since { return [day, day + 1].filter { $0 >= since } }
        return day == book.newestDay ? [day] : []
    }

    /// Takes an anomaly and returns the alert to publish, if its rule is in force.
    func take(_ anomaly: Anomaly, at place: Alert.Evidence) -> [Alert] {
        rules.alert(about: anomaly, at: place).map { [$0] } ?? []
    }

    /// Takes what was seen of products and returns the alerts to publish.
    func take(_ sights: [ProductObservation], on date: KoreanDate, at place: Alert.Evidence) -> [Alert] {
        rules.alerts(about: sights, on: date, at: place)
    }

    /// Takes a chart that fires nothing; returns whether its market is looked at.
    @discardableResult
    public mutating func learn(_ chart: SourcedChart) -> Bool {
        learn(RecentChart(chart), of: chart.chart.market)
    }

    /// Takes a chart of a market likewise.
    @discardableResult
    mutating func learn(_ chart: RecentChart, of market: Market) -> Bool {
        guard books[market] != nil else { return false }
        books[market]?.learn(chart)
        return true
    }

    /// Forgets all charts, as when they turn out to be another log's; what is older than the newest day stays old.
    public mutating func forget() {
        for market in books.keys { books[market]?.forget() }
    }

    /// What has changed since this was last asked, by market.
    mutating func takeChanges() -> [Market: MarketState.Changes] {
        var changes: [Market: MarketState.Changes] = [:]
        for market in books.keys { changes[market] = books[market]?.takeChanges() }
        return changes
    }
}
