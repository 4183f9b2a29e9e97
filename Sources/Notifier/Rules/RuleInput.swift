import BoxOffice
import EventStore

/// A film's day in a chart, and all that a rule may look at to say something about it.
struct ChartAppearance {
    /// The film's line; for one that left, its line of the day before.
    let entry: ChartEntry
    /// What all films of the day share.
    let context: RuleContext

    /// The chart of the day.
    var day: SourcedChart { context.chart }
    /// The chart of the day before in the calendar, if it is known.
    var before: SourcedChart? { context.before }
    /// Who led up to the day before, and for how long.
    var reign: LeadStreak? { context.reign }

    /// The film's line on the day before, if that is known.
    var last: ChartEntry? { before?.chart.entries.first { $0.movieCode == entry.movieCode } }

    /// What is known of the film on earlier days.
    var past: MovieTotals { context.histories[entry.movieCode]?.past(before: day.chart.date) ?? MovieTotals() }

    /// Figures of the film's line, for an alert.
    func figures(_ fields: ChartEntry.Field...) -> [String: TemplateValue] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, TemplateValue(entry[$0])) })
    }
}

/// A chart beside what is known of the days before.
final class RuleContext {
    /// The chart.
    let chart: SourcedChart
    /// The chart of the day before in the calendar, if it is known.
    let before: SourcedChart?
    /// Who led up to the day before, and for how long.
    let reign: LeadStreak?
    /// What is known of films.
    let histories: [MovieCode: MovieState]
    /// The films of the day, by their lines.
    let movies: [ChartEntry]

    init(chart: SourcedChart, book: MarketState) {
        self.chart = chart
        before = book.chart(of: chart.chart.date - 1)
        reign = book.reign(upTo: chart.chart.date - 1)
        histories = book.movies
        movies = chart.chart.entries.byLine
    }

    /// The films of the day before that are not there any more, by their lines.
    var gone: [ChartEntry] {
        guard let before else { return [] }
        return before.chart.entries.byLine.filter { last in !movies.contains { $0.movieCode == last.movieCode } }
    }
}

extension [ChartEntry] {
    /// In the order of their lines, in which they nearly always are.
    fileprivate var byLine: [ChartEntry] {
        indices.dropFirst().allSatisfy { self[$0 - 1].line <= self[$0].line } ? self : sorted { $0.line < $1.line }
    }
}

/// What a rule says when it fires.
struct RuleMatch {
    /// The film's rank on the day before, where the rule tells it.
    var previousRank: Int?
    /// How many ranks it rose or fell, where the rule tells it.
    var change: Int?
    /// The rule's own figures.
    var values: [String: TemplateValue]
    /// Whether it looked at the chart of the day before.
    var looksBack = false
}

/// A rule: whether a film's day is worth an alert, and with what figures. Pure, and quick: it is asked for every line.
protocol Rule: AlertTextSource {
    /// What it says about a film's day, if anything.
    func firing(for movie: ChartAppearance) -> RuleMatch?

    /// Whether an alert still holds, now that charts were corrected; its film is in the chart, or has left it.
    func holds(_ alert: Alert, for movie: ChartAppearance) -> Bool
}

extension Rule {
    /// What every alert has, and the film's line.
    static var common: [String] { AlertTexts.movieNames }

    func holds(_ alert: Alert, for movie: ChartAppearance) -> Bool { firing(for: movie) != nil }
}
