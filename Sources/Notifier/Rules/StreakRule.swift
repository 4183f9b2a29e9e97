import BoxOffice
import Contract
import EventStore

/// The film has led the chart for a number of days in a row that is worth telling.
struct StreakRule: Rule {
    static let word = AlertRule.streak
    static let figures = ["streakDays", "firstDay"]
    static let ko = "〈{title}〉 {streakDays}일 연속 1위"
    static let en = "{title} has been No. 1 for {streakDays:day/days} in a row"

    /// The numbers of days.
    var days = [7, 14, 21, 30, 50, 100]

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard movie.entry.line == 1, let reign = movie.reign, reign.leader == movie.entry.movieCode,
            days.contains(reign.days + 1)
        else { return nil }
        var values = movie.figures(.audience, .audienceTotal)
        values["streakDays"] = .integer(reign.days + 1)
        values["firstDay"] = .text(reign.since.description)
        return RuleMatch(
            previousRank: movie.last?.rank, change: movie.entry.rankChange, values: values, looksBack: true)
    }
}
