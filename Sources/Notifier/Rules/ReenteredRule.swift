import BoxOffice
import Contract
import EventStore

/// The film is back in the chart after so many days away or more.
struct ReenteredRule: Rule {
    static let word = AlertRule.reentered
    static let figures = ["daysAway", "lastDay"]
    static let ko = "〈{title}〉, {daysAway}일 만에[ {rank}위로] 재진입"
    static let en = "{title} is back[ at No. {rank}] after {daysAway:day/days} away"

    /// How many days, at least.
    var after = 7

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        // Without the chart of the day before it is not known whether the film was away at all.
        guard movie.before != nil, let last = movie.past.last, movie.day.chart.date - last > after else { return nil }
        var values = movie.figures(.audience, .audienceTotal)
        values["daysAway"] = .integer(movie.day.chart.date - last - 1)
        values["lastDay"] = .text(last.description)
        return RuleMatch(values: values, looksBack: true)
    }
}
