import BoxOffice
import Events

/// The film has led the chart for a number of days in a row that is worth telling.
struct Streak: Rule {
    static let word = AlertRule.streak
    static let figures = ["streakDays", "firstDay"]
    static let ko = "〈{title}〉 {streakDays}일 연속 1위"
    static let en = "{title} has been No. 1 for {streakDays:day/days} in a row"

    /// The numbers of days.
    var days = [7, 14, 21, 30, 50, 100]

    func firing(for film: FilmDay) -> Firing? {
        guard film.entry.line == 1, let reign = film.reign, reign.leader == film.entry.movieCode,
            days.contains(reign.days + 1)
        else { return nil }
        var values = film.figures(.audience, .audienceTotal)
        values["streakDays"] = .integer(reign.days + 1)
        values["firstDay"] = .text(reign.since.description)
        return Firing(previousRank: film.last?.rank, change: film.entry.rankChange, values: values, looksBack: true)
    }
}
