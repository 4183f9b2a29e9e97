import BoxOffice

/// A rule about movies: whether a movie's day is worth an alert, and with which values.
///
/// Pure and fast: it is evaluated for every line of every chart.
protocol Rule: AlertTextSource {
    /// Returns the match if the rule fires for a movie's day.
    func match(for input: RuleInput) -> RuleMatch?

    /// Whether an alert still holds after a correction; `input` is about the alert's movie and day.
    func holds(_ alert: Alert, for input: RuleInput) -> Bool

    /// How much a match matters, unless the rule file sets it.
    ///
    /// - Parameter rank: The movie's rank on the day; nil for a movie that left.
    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity
}

extension Rule {
    /// The values that every alert about a movie has, and the fields of its line.
    static var commonValues: [String] { AlertTexts.movieValues }

    func holds(_ alert: Alert, for input: RuleInput) -> Bool { match(for: input) != nil }

    func severity(of match: RuleMatch, rank: Int?) -> Alert.Severity {
        Alert.Severity(rank: rank, previousRank: match.previousRank)
    }
}

/// A rule's match.
struct RuleMatch {
    /// The movie's rank on the day before, where the rule reports it.
    var previousRank: Int?
    /// The number of ranks that the movie rose or, negative, fell, where the rule reports it.
    var change: Int?
    /// The rule's own values.
    var values: [String: TemplateValue]
    /// Whether the match rests on the chart of the day before, too.
    var usesPreviousDay = false
    /// The other movies whose titles are among the values.
    var namedMovies: [String: NamedMovie] = [:]
}

/// A movie's day in a chart, with all that a rule may use.
struct RuleInput {
    /// The movie's line; for a movie that left, its line of the day before.
    let entry: ChartEntry
    /// What all movies of the day share.
    let context: RuleContext

    /// The chart of the day.
    var day: SourcedChart { context.chart }
    /// The chart of the calendar day before, if it is known.
    var previousDay: SourcedChart? { context.previousDay }
    /// The lead streak up to the day before, if that day is known.
    var leadStreak: LeadStreak? { context.knownDays.leadStreak(upTo: day.chart.date - 1) }

    /// The movie's line on the day before, if it is known.
    var previousEntry: ChartEntry? {
        previousDay?.chart.entries.firstLines.first { $0.movieCode == entry.movieCode }
    }

    /// The movie's totals of all days before.
    var totals: MovieTotals { context.movieStates[entry.movieCode]?.totals(before: day.chart.date) ?? MovieTotals() }

    /// Whether the charts of all days from `first` on and before the day are known.
    func knowsDays(from first: KoreanDate) -> Bool {
        context.knownDays.contains(from: first, before: day.chart.date)
    }

    /// Returns fields of the movie's line as values of an alert.
    func values(_ fields: ChartEntry.Field...) -> [String: TemplateValue] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, TemplateValue(entry[$0])) })
    }
}

/// A chart, with what is known of the days before.
// A class, because it is large and each movie's input refers to it.
final class RuleContext {
    /// The chart.
    let chart: SourcedChart
    /// The chart of the calendar day before, if it is known.
    let previousDay: SourcedChart?
    /// The known days of the market.
    let knownDays: KnownDays
    /// The movies.
    let movieStates: [MovieCode: MovieState]
    /// The movies of the day, in the order of their lines.
    let entries: [ChartEntry]
    private let recentCharts: [KoreanDate: RecentChart]

    /// The number of days whose movies a title may mean. All of them are recent on each day that fires live, so that live
    /// alerts, those of a replay and those after a restart name a movie alike.
    static let namesakeDays = MarketState.openDays - AlertDecider.daysBeforeNewest

    init(chart: SourcedChart, state: MarketState) {
        self.chart = chart
        previousDay = state.chart(of: chart.chart.date - 1)
        knownDays = state.knownDays
        movieStates = state.movies
        entries = chart.chart.entries.firstLines
        recentCharts = state.days
    }

    /// Returns a movie's title, told from other movies of that title in the charts of the last four weeks.
    func distinctTitle(of movie: NamedMovie) -> String {
        let days = (0..<Self.namesakeDays).lazy.compactMap { self.recentCharts[self.chart.chart.date - $0] }
        return movie.distinctTitle(among: days.flatMap { $0.lines.lazy.map(\.movie) })
    }

    /// The movies of the day before that are not in the chart any more, in the order of their lines.
    var departedEntries: [ChartEntry] {
        guard let previousDay else { return [] }
        return previousDay.chart.entries.firstLines.filter { last in
            !entries.contains { NamedMovie($0).isSameMovie(as: NamedMovie(last)) }
        }
    }
}

/// A chart, and the event of the log that it came with.
struct SourcedChart: Hashable, Sendable {
    /// The chart.
    var chart: Chart
    /// The event.
    let evidence: Alert.Evidence

    /// Makes the pair.
    init(_ chart: Chart, evidence: Alert.Evidence) {
        self.chart = chart
        self.evidence = evidence
    }
}
