import BoxOffice
import Contract

/// A rule: all that it says of itself. ``AlertRules/kinds`` lists the rules.
protocol Rule: Sendable {
    /// The word on the wire and in rule files.
    static var name: AlertRule { get }
    /// The name in messages and at the board.
    static var heading: RuleHeading { get }
    static var settings: [RuleSetting<Self>] { get }
    static var commonValues: [String] { get }
    static var ownValues: [String] { get }
    static var ko: String { get }
    static var en: String { get }

    init()
}

extension Rule {
    static var settings: [RuleSetting<Self>] { [] }
    static var ownValues: [String] { [] }
    static var valueNames: [String] { commonValues + ownValues }
    var name: AlertRule { Self.name }
}

/// A rule about movies. Pure and fast: it is evaluated for every line of every chart.
protocol MovieRule: Rule {
    static var occasion: RuleOccasion { get }

    func match(for input: RuleInput) -> RuleMatch?

    /// Whether an alert still holds after a correction; `input` is about the alert's movie and day.
    func holds(_ alert: Alert, for input: RuleInput) -> Bool

    /// How much a match matters, unless the rule file sets it.
    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity

    /// Returns what the rule would report of a chart with movies if it fired, to show the form of its messages.
    func sample(of chart: Chart) -> RuleSample
}

extension MovieRule {
    static var commonValues: [String] { AlertTexts.movieValues }
    static var occasion: RuleOccasion { .day }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool { match(for: input) != nil }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity {
        Alert.Severity(rank: rank, previousRank: match.previousRank)
    }
}

enum RuleOccasion {
    /// Each movie of a day's chart.
    case day
    /// Each movie that was in the chart of the day before and is not in this one.
    case departure
    /// Each movie of a chart that corrects an earlier one.
    case correction
    /// The worker's anomalies, and no movie.
    case anomaly
}

/// A rule about products of the Open Market: whether a change is worth an alert, and with which values. Pure.
protocol ProductRule: Rule {
    func match(for observation: ProductObservation) -> [String: TemplateValue]?

    /// Returns a change for which the rule fires, made up of a product, to show the form of its messages.
    func sample(of product: ProductState) -> ProductSample
}

/// A product before a change and after it; nil where it does not exist.
typealias ProductSample = (before: ProductState?, after: ProductState?)

extension ProductRule {
    static var commonValues: [String] {
        ["title", "product", "date", "currency", "price", "discountedPrice", "bargainPrice", "stock"]
    }
}

struct RuleMatch {
    /// The movie's rank on the day before, where the rule reports it.
    var previousRank: Int?
    /// The number of ranks that the movie rose or, negative, fell, where the rule reports it.
    var change: Int?
    var values: [String: TemplateValue]
    /// Whether the match rests on the chart of the day before, too.
    var usesPreviousDay = false
    /// The other movies whose titles are among the values.
    var namedMovies: [String: NamedMovie] = [:]
}

struct RuleInput {
    /// The movie's line; for a movie that left, its line of the day before.
    let entry: ChartEntry
    let context: RuleContext

    var day: SourcedChart { context.chart }
    var previousDay: SourcedChart? { context.previousDay }
    /// The lead streak up to the day before, if that day is known.
    var leadStreak: LeadStreak? { context.knownDays.leadStreak(upTo: day.chart.date - 1) }

    var previousEntry: ChartEntry? {
        previousDay?.chart.entries.firstLines.first { $0.movieCode == entry.movieCode }
    }

    var totals: MovieTotals { context.movieStates[entry.movieCode]?.totals(before: day.chart.date) ?? MovieTotals() }

    /// Whether the charts of all days from `first` on and before the day are known.
    func knowsDays(from first: KoreanDate) -> Bool {
        context.knownDays.contains(from: first, before: day.chart.date)
    }

    func values(_ fields: ChartEntry.Field...) -> [String: TemplateValue] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, TemplateValue(entry[$0])) })
    }
}

/// A chart, with what is known of the days before.
// A class, because it is large and each movie's input refers to it.
final class RuleContext {
    let chart: SourcedChart
    /// The chart of the calendar day before, if it is known.
    let previousDay: SourcedChart?
    /// Whether the chart is known to lack movies, and that of the day before.
    let lacksMovies: (day: Bool, previousDay: Bool)
    let knownDays: KnownDays
    let movieStates: [MovieCode: MovieState]
    let entries: [ChartEntry]
    private let recentCharts: [KoreanDate: RecentChart]

    /// The number of days whose movies a title may mean. All of them are recent on each day that fires live, so that live
    /// alerts, those of a replay and those after a restart name a movie alike.
    static let namesakeDays = MarketState.openDays - MarketState.daysBeforeNewest

    init(chart: SourcedChart, state: MarketState) {
        self.chart = chart
        previousDay = state.chart(of: chart.chart.date - 1)
        lacksMovies = (state.lacksMovies(chart.chart.date), state.lacksMovies(chart.chart.date - 1))
        knownDays = state.knownDays
        movieStates = state.movies
        entries = chart.chart.entries.firstLines
        recentCharts = state.days
    }

    /// Returns a movie's title, told from other movies of that title in the charts of the last four weeks.
    func distinctTitle(of movie: NamedMovie) -> String {
        movie.distinctTitle(among: recentMovies[movie.title] ?? [])
    }

    // Made once a day and not for each alert, of each movie's newest line: to compare a title with those of four weeks
    // takes long.
    private lazy var recentMovies: [String: [NamedMovie]] = {
        let movies = (0..<Self.namesakeDays).flatMap { recentCharts[chart.chart.date - $0]?.lines.map(\.movie) ?? [] }
        let newest = Dictionary(movies.map { ($0.code, $0) }, uniquingKeysWith: { newest, _ in newest })
        return Dictionary(grouping: newest.values, by: \.title)
    }()

    var departedEntries: [ChartEntry] {
        guard let previousDay else { return [] }
        return previousDay.chart.entries.firstLines.filter { last in
            !entries.contains { NamedMovie($0).isSameMovie(as: NamedMovie(last)) }
        }
    }
}

struct SourcedChart: Hashable, Sendable {
    var chart: Chart
    let evidence: Alert.Evidence
}

// MARK: - Samples

/// What a rule would report of a chart. The figures of the day are real; what the rule compares them with is made up.
struct RuleSample {
    /// The movie; nil for an alert about an anomaly.
    var movie: ChartEntry?
    let match: RuleMatch
}

extension RuleSample {
    init(
        of movie: ChartEntry, previousRank: Int? = nil, change: Int? = nil, _ values: [String: TemplateValue] = [:]
    ) {
        self.movie = movie
        let figures: [String: TemplateValue] = [
            "audience": .integer(movie.sampleAudience),
            "audienceTotal": .integer(movie.audienceTotal ?? movie.sampleAudience),
        ]
        match = RuleMatch(previousRank: previousRank, change: change, values: figures.merging(values) { $1 })
    }
}

extension Chart {
    var first: ChartEntry { entries.firstLines[0] }
    var last: ChartEntry { entries.firstLines.last ?? first }
}

extension ChartEntry {
    var sampleAudience: Int { audience ?? 10_000 }
    var sampleRank: Int { rank ?? line }
}
