import BoxOffice
import Events

/// The film is back in the chart after so many days away or more.
struct Reentered: Rule {
    static let word = AlertRule.reentered
    static let figures = ["daysAway", "lastDay"]
    static let ko = "〈{title}〉, {daysAway}일 만에[ {rank}위로] 재진입"
    static let en = "{title} is back[ at No. {rank}] after {daysAway:day/days} away"

    /// How many days, at least.
    var after = 7

    func firing(for film: FilmDay) -> Firing? {
        // Without the chart of the day before it is not known whether the film was away at all.
        guard film.before != nil, let last = film.past.last, film.day.chart.date - last > after else { return nil }
        var values = film.figures(.audience, .audienceTotal)
        values["daysAway"] = .integer(film.day.chart.date - last - 1)
        values["lastDay"] = .text(last.description)
        return Firing(values: values, looksBack: true)
    }
}
