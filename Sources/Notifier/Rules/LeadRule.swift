import BoxOffice
import Contract
import EventStore

/// The film stands on line 1, and another film did the day before.
struct LeadRule: Rule {
    static let word = AlertRule.lead
    static let figures = ["previousLeader", "previousLeaderTitle", "reignDays"]
    static let ko =
        "〈{title}〉, 〈{previousLeaderTitle}〉{을/를} 제치고 새로운 1위[ ({movement})][, 하루 관객 {audience}명]"
    static let en =
        "{title} is the new No. 1, ahead of {previousLeaderTitle}[, with {audience:admission/admissions} on the day]"

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard movie.entry.line == 1, let leader = movie.before?.chart.leader, leader.movieCode != movie.entry.movieCode
        else { return nil }
        var values = movie.figures(.audience, .audienceTotal)
        values["previousLeader"] = .text(leader.movieCode.description)
        values["previousLeaderTitle"] = .text(leader.title)
        values["reignDays"] = movie.reign.map { .integer($0.days) } ?? .null
        return RuleMatch(
            previousRank: movie.entry.rankBefore ?? movie.last?.rank,
            change: movie.entry.isNew ? nil : movie.entry.rankChange, values: values, looksBack: true)
    }
}
