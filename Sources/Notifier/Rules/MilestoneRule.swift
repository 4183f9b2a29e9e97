import BoxOffice
import Contract
import EventStore

/// The film's admissions have passed a number that is worth telling; the highest, if a day passes several.
///
/// Told once: a correction that moves the day by one changes nothing, since the number is passed all the same. One that
/// takes the number away takes the alert back, and the film owes it: the next day that has the number tells it.
///
/// The source's totals are incomplete before 2011, so films that opened earlier, or stand in charts of that time, have none.
struct MilestoneRule: Rule {
    static let word = AlertRule.milestone
    static let figures = ["milestone"]
    static let ko = "〈{title}〉 {milestone:words} 관객 돌파[ (누적 {audienceTotal}명)]"
    static let en = "{title} passes {milestone:words} admissions[ ({audienceTotal} so far)]"

    /// The first day from which on totals are complete.
    static let firstDay = KoreanDate(dayNumber: 14_975)  // 2011-01-01

    /// The numbers, ascending.
    var totals = [1_000_000, 3_000_000, 5_000_000, 10_000_000, 15_000_000, 20_000_000]

    func firing(for movie: ChartAppearance) -> RuleMatch? {
        guard let total = movie.entry.audienceTotal, total >= totals[0], movie.day.chart.date >= Self.firstDay,
            movie.entry.openDate.map({ $0 >= Self.firstDay }) ?? true
        else { return nil }
        // What came before the first chart that is known is what the day itself did not bring.
        let before = movie.past.total ?? movie.entry.audience.map { total - $0 } ?? total
        let owed = movie.context.histories[movie.entry.movieCode]?.owed ?? []
        guard let milestone = totals.last(where: { total >= $0 && (before < $0 || owed.contains($0)) }) else {
            return nil
        }
        var values = movie.figures(.audience, .audienceTotal)
        values["milestone"] = .integer(milestone)
        return RuleMatch(values: values)
    }

    func holds(_ alert: Alert, for movie: ChartAppearance) -> Bool {
        guard let total = movie.entry.audienceTotal, let milestone = alert.milestone else { return false }
        return total >= milestone
    }
}

extension Alert {
    /// The number that a milestone's alert is about.
    var milestone: Int? {
        guard rule == .milestone, case .integer(let milestone) = values["milestone"] else { return nil }
        return milestone
    }
}
