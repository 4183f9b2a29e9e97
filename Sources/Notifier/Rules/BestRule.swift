import BoxOffice
import Contract
import EventStore

/// More people saw the film than on any day before, some days after it was first in a chart.
struct BestRule: Rule {
    static let word = AlertRule.best
    static let figures = ["previousBest", "previousBestDay"]
    static let ko = "〈{title}〉 하루 최다 관객 {audience}명[ (종전 {previousBest}명)]"
    static let en = "{title} has its best day so far with {audience:admission/admissions}[ (before: {previousBest})]"

    /// How many days the film must have been known.
    var after = 7

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        let past = movie.past
        guard let audience = movie.entry.audience, let best = past.best, audience > best.audience,
            let first = past.first, movie.day.chart.date - first >= after
        else { return nil }
        var values = movie.figures(.audience, .audienceTotal)
        values["previousBest"] = .integer(best.audience)
        values["previousBestDay"] = .text(best.day.description)
        return RuleMatch(values: values)
    }
}
