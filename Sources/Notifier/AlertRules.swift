public import BoxOffice
public import Contract
import EventStore

/// The rules that are in force, as the contract words them and the rule file has them.
///
/// Pure: what the charts that are known say about films. What was said before is not looked at; a decision's id tells
/// that it was taken already.
public struct AlertRules: Sendable {
    /// A rule that is in force, for whom, and in what words.
    struct Entry: Sendable {
        /// What it looks for.
        var rule: any Rule
        /// The films that it looks at.
        var watch = MovieFilter()
        /// The markets whose charts it looks at.
        var markets: Set<Market> = [.all]
        /// How much its alerts matter, if not by the film's ranks.
        var severity: Alert.Severity?
        /// Its sentences.
        var texts: AlertTexts

        /// Makes an entry for all films of the whole market, in the rule's own words.
        init(_ rule: any Rule) {
            self.rule = rule
            texts = AlertTexts(of: type(of: rule))
        }

        var word: AlertRule { type(of: rule).word }
    }

    /// The rules, each once.
    private let entries: [AlertRule: Entry]
    /// The contract's rules for films of the day, in its order.
    private let first: [Entry]
    /// Those that come after the films that left, in the order of `AlertRule`.
    private let second: [Entry]

    /// The rules about products, in the order of `AlertRule`.
    let products: [ProductEntry]

    /// The markets that any rule looks at, and the whole one.
    public let markets: Set<Market>

    /// The contract's rules; a threshold below one counts as one, because a film that keeps its rank neither rises nor falls.
    public init(threshold: Int = 3) {
        let threshold = max(1, threshold)
        let rules: [any Rule] = [
            EnteredRule(), LeftRule(), RoseRule(by: threshold), FellRule(by: threshold), LeadRule(),
        ]
        self.init(rules.map { Entry($0) })
    }

    /// Puts rules in force.
    init(_ entries: [Entry], products: [ProductEntry] = []) {
        self.products = products
        self.entries = Dictionary(entries.map { ($0.word, $0) }, uniquingKeysWith: { _, last in last })
        let words: [AlertRule] = [.entered, .rose, .fell, .lead]
        first = words.compactMap { [entries = self.entries] in entries[$0] }
        second = AlertRule.allCases.filter { !words.contains($0) && $0 != .left }.compactMap {
            [entries = self.entries] in entries[$0]
        }
        markets = entries.reduce(into: [.all]) { $0.formUnion($1.markets) }
    }

    /// The rule of a word, if it is in force.
    subscript(word: AlertRule) -> Entry? { entries[word] }

    /// The words of the rules that are in force.
    public var words: [AlertRule] { AlertRule.allCases.filter { entries[$0] != nil } + products.map(\.word) }
}

extension AlertRules {
    /// What fires for a day, by all that a book knows.
    ///
    /// The contract's rules first: in line order, for one film in the order entered, rose, fell, lead; then the films that
    /// left, by their last lines. Then the others, in line order, for one film in the order of `AlertRule`. A chart that
    /// names a film twice may give the same alert twice.
    func alerts(of day: KoreanDate, in book: MarketState) -> [Alert] {
        guard let chart = book.chart(of: day) else { return [] }
        let context = RuleContext(chart: chart, book: book)
        var alerts: [Alert] = []
        func ask(_ entries: [Entry], about movies: [ChartEntry]) {
            for movie in movies {
                let day = ChartAppearance(entry: movie, context: context)
                for entry in entries {
                    if let alert = entry.alert(about: day, in: book.market) { alerts.append(alert) }
                }
            }
        }
        ask(first, about: context.movies)
        if let left = entries[.left] { ask([left], about: context.gone) }
        ask(second, about: context.movies)
        return alerts
    }

    /// The corrections that a chart tells of, whatever its day.
    func corrections(by chart: SourcedChart, in book: MarketState) -> [Alert] {
        guard let entry = entries[.correction], chart.chart.corrections != nil, book.isOpen(chart.chart.date) else {
            return []
        }
        let context = RuleContext(chart: chart, book: book)
        let decided = book.decided[chart.chart.date]?.ids ?? []
        return context.movies.compactMap {
            entry.alert(about: ChartAppearance(entry: $0, context: context), in: book.market)
        }.filter { !decided.contains($0.id) }
    }

    /// What a chart takes back of the alerts that stand: those of its own day and later ones that do not hold any more.
    func retractions(after chart: SourcedChart, in book: MarketState) -> [Alert] {
        let day = chart.chart.date
        guard let newest = book.newestDay, book.isOpen(day) else { return [] }
        // The day before has to be open, too: what was known of it is gone otherwise.
        let days = newest == day ? [day] : book.decided.keys.filter { $0 >= day && book.isOpen($0 - 1) }.sorted()
        return days.flatMap { date -> [Alert] in
            guard let standing = book.decided[date]?.standing, !standing.isEmpty,
                let known = book.chart(of: date)
            else { return [] }
            let context = RuleContext(chart: known, book: book)
            return standing.filter { !holds($0, in: context) }.map { $0.takenBack(by: chart) }
        }
    }

    private func holds(_ alert: Alert, in context: RuleContext) -> Bool {
        // A rule that is not in force any more has no opinion.
        guard let rule = entries[alert.rule]?.rule else { return true }
        let movies = alert.rule == .left ? context.gone : context.movies
        return movies.contains {
            $0.movieCode == alert.movieCode && rule.holds(alert, for: ChartAppearance(entry: $0, context: context))
        }
    }
}
