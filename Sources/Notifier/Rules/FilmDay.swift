import BoxOffice
import Events

/// A film's day in a chart, and all that a rule may look at to say something about it.
struct FilmDay {
    /// The film's line; for one that left, its line of the day before.
    var entry: ChartEntry
    /// The chart of the day.
    let day: LoggedChart
    /// The chart of the day before in the calendar, if it is known.
    let before: LoggedChart?
    /// Who led up to the day before, and for how long.
    let reign: Reign?
    /// What is known of films.
    let films: [MovieCode: FilmHistory]

    /// The film's line on the day before, if that is known.
    var last: ChartEntry? { before?.chart.entries.first { $0.movieCode == entry.movieCode } }

    /// What is known of the film on earlier days.
    var past: FilmPast { films[entry.movieCode]?.past(before: day.chart.date) ?? FilmPast() }

    /// Figures of the film's line, for an alert.
    func figures(_ fields: ChartEntry.Field...) -> [String: Figure] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, Figure(entry[$0])) })
    }
}

/// What a rule says when it fires.
struct Firing {
    /// The film's rank on the day before, where the rule tells it.
    var previousRank: Int?
    /// How many ranks it rose or fell, where the rule tells it.
    var change: Int?
    /// The rule's own figures.
    var values: [String: Figure]
    /// Whether it looked at the chart of the day before.
    var looksBack = false
}

/// A rule: whether a film's day is worth an alert, and with what figures. Pure, and quick: it is asked for every line.
protocol Rule: Worded {
    /// What it says about a film's day, if anything.
    func firing(for film: FilmDay) -> Firing?

    /// Whether an alert still holds, now that charts were corrected; its film is in the chart, or has left it.
    func holds(_ alert: Alert, for film: FilmDay) -> Bool
}

extension Rule {
    /// What every alert has, and the film's line.
    static var common: [String] { AlertTexts.filmNames }

    func holds(_ alert: Alert, for film: FilmDay) -> Bool { firing(for: film) != nil }
}
