public import BoxOffice
public import Contract

/// The rules in force.
///
/// Pure: evaluates what the known charts say about movies. It does not check whether an alert fired before; a decision's
/// id shows that.
public struct AlertRules: Sendable {
    /// A rule in force: which movies and markets it is about, and its texts.
    struct Entry: Sendable {
        /// The rule.
        var rule: any Rule
        /// The movies that it is about.
        var filter = MovieFilter()
        /// The markets that it is about.
        var markets: Set<Market> = [.all]
        /// The severity of its alerts; nil to derive it from the movie's ranks.
        var severity: Alert.Severity?
        /// The texts of its alerts.
        var texts: AlertTexts

        /// Makes an entry for all movies of the whole market, with the rule's own texts.
        init(_ rule: any Rule) {
            self.rule = rule
            texts = AlertTexts(of: type(of: rule))
        }

        var name: AlertRule { type(of: rule).name }
    }

    /// The rules, each once.
    private let entries: [AlertRule: Entry]
    /// The default rules about movies in the chart, in the contract's order.
    private let defaultEntries: [Entry]
    /// The rules evaluated after `left`, in the order of `AlertRule`.
    private let furtherEntries: [Entry]

    /// The rules about products, in the order of `AlertRule`.
    let products: [ProductEntry]

    /// The markets that any rule is about; always includes the whole market.
    public let markets: Set<Market>

    /// Makes the default rules.
    ///
    /// - Parameter threshold: the number of ranks from which `rose` and `fell` fire. Below 1 it counts as 1, because a
    ///   movie that keeps its rank neither rises nor falls.
    public init(threshold: Int = 3) {
        let threshold = max(1, threshold)
        let rules: [any Rule] = [
            EnteredRule(), LeftRule(), RoseRule(by: threshold), FellRule(by: threshold), LeadRule(),
        ]
        self.init(rules.map { Entry($0) })
    }

    /// Makes rules of entries; of two entries for the same rule, the last counts.
    init(_ entries: [Entry], products: [ProductEntry] = []) {
        self.products = products
        let byName = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        let names: [AlertRule] = [.entered, .rose, .fell, .lead]
        self.entries = byName
        defaultEntries = names.compactMap { byName[$0] }
        furtherEntries = AlertRule.allCases.filter { !names.contains($0) && $0 != .left && $0 != .correction }
            .compactMap { byName[$0] }
        markets = entries.reduce(into: [.all]) { $0.formUnion($1.markets) }
    }

    /// The entry of a rule, if it is in force.
    subscript(name: AlertRule) -> Entry? { entries[name] }

    /// The names of the rules in force.
    public var names: [AlertRule] { AlertRule.allCases.filter { entries[$0] != nil } + products.map(\.name) }
}

// MARK: - Evaluation

extension AlertRules {
    /// Returns the alerts that fire for a day.
    ///
    /// The default rules come first: in the order of the lines, for one movie in the order entered, rose, fell, lead; then
    /// the movies that left, in the order of their last lines. Then come the other rules: in the order of the lines, for
    /// one movie in the order of `AlertRule`.
    func alerts(of day: KoreanDate, in state: MarketState) -> [Alert] {
        guard let chart = state.chart(of: day) else { return [] }
        let context = RuleContext(chart: chart, state: state)
        var alerts: [Alert] = []
        func evaluate(_ entries: [Entry], for movies: [ChartEntry]) {
            for movie in movies {
                let input = RuleInput(entry: movie, context: context)
                for entry in entries {
                    if let alert = entry.alert(about: input, in: state.market) { alerts.append(alert) }
                }
            }
        }
        evaluate(defaultEntries, for: context.entries)
        if let left = entries[.left] { evaluate([left], for: context.departedEntries) }
        evaluate(furtherEntries, for: context.entries)
        return alerts
    }

    /// Returns the alerts about the corrections in a recent day's chart.
    func corrections(by chart: SourcedChart, in state: MarketState) -> [Alert] {
        guard let entry = entries[.correction], chart.chart.corrections != nil, state.isOpen(chart.chart.date) else {
            return []
        }
        let context = RuleContext(chart: chart, state: state)
        return context.entries.compactMap {
            entry.alert(about: RuleInput(entry: $0, context: context), in: state.market)
        }
    }

    /// Returns the standing alerts of a chart's day and of later days that no longer hold.
    func refutedAlerts(after chart: SourcedChart, in state: MarketState) -> [Alert] {
        let day = chart.chart.date
        // The day before has to be open too: otherwise its chart is no longer known.
        let days = state.decided.keys.filter { $0 >= day && state.isOpen($0 - 1) }.sorted()
        return days.flatMap { date -> [Alert] in
            guard let standing = state.decided[date]?.standing, !standing.isEmpty,
                let known = state.chart(of: date)
            else { return [] }
            let context = RuleContext(chart: known, state: state)
            return standing.filter { !holds($0, in: context) }
        }
    }

    private func holds(_ alert: Alert, in context: RuleContext) -> Bool {
        // The alert of a rule that is no longer in force stands.
        guard let rule = entries[alert.rule]?.rule else { return true }
        let movies = alert.rule == .left ? context.departedEntries : context.entries
        return movies.contains {
            $0.movieCode == alert.movieCode && rule.holds(alert, for: RuleInput(entry: $0, context: context))
        }
    }
}

// MARK: - Alerts

extension AlertRules.Entry {
    /// Returns the alert about a movie's day, if the rule fires and is about the movie and the market.
    func alert(about input: RuleInput, in market: Market) -> Alert? {
        // The match comes first: most rules fire for few movies.
        guard let match = rule.match(for: input), markets.contains(market),
            filter.includes(input.entry.movieCode, title: input.entry.title)
        else { return nil }
        let rank = name == .left ? nil : input.entry.rank
        var alert = Alert(
            rule: name, date: input.day.chart.date, market: market == .all ? nil : market,
            movieCode: input.entry.movieCode, title: input.entry.title, rank: rank, previousRank: match.previousRank,
            change: match.change, severity: severity ?? rule.severity(of: match, rank: rank),
            values: match.values, text: Alert.Text(ko: "", en: ""), evidence: [input.day.evidence])
        if match.usesPreviousDay, let previous = input.previousDay { alert.evidence.append(previous.evidence) }
        let named = match.namedMovies.merging(["title": NamedMovie(input.entry)]) { $1 }
        alert.text = texts.text(
            of: alert, about: input.entry, titles: named.mapValues(input.context.distinctTitle))
        return alert
    }
}

extension AlertRules {
    /// Returns the alert about an anomaly, if the rule is in force for its market and its movie, if it has one.
    func alert(about anomaly: Anomaly, evidence: Alert.Evidence) -> Alert? {
        guard let entry = self[.anomaly], entry.markets.contains(anomaly.market),
            entry.filter.includes(anomaly.movieCode, title: anomaly.title)
        else { return nil }
        var alert = Alert(
            rule: .anomaly, date: anomaly.date, market: anomaly.market == .all ? nil : anomaly.market, movieCode: nil,
            title: anomaly.title, rank: nil, previousRank: nil, change: nil, severity: entry.severity ?? .notable,
            values: AnomalyRule.values(of: anomaly), text: Alert.Text(ko: "", en: ""), evidence: [evidence])
        alert.text = entry.texts.text(of: alert, about: nil)
        return alert
    }
}

extension Alert {
    /// Returns the retraction of this alert, caused by a chart that corrects what it rests on.
    func retracted(by chart: SourcedChart) -> Alert {
        var retraction = self
        retraction.retracts = id
        retraction.evidence = [chart.evidence]
        retraction.text = Text(ko: "[정정] 앞선 알림 취소: \(text.ko)", en: "Taken back after a correction: \(text.en)")
        return retraction
    }
}
