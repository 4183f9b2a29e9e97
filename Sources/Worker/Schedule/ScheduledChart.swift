import BoxOffice
import Contract
import FoundationEssentials

/// A chart that is looked at again and again until its figures rest: what it is called, and when.
///
/// Each look has a time from which on it is due. A later one makes up for all that were missed before it.
struct ScheduledChart: Hashable, Sendable {
    /// One of the looks at a chart.
    struct ScheduledCheck: Hashable, Sendable {
        /// Its word in the ids of requests.
        let word: String
        /// From when on it is due.
        let time: Date
    }

    /// Its words in the ids of requests, such as `day.2024-06-04`.
    let name: String
    /// What is asked for.
    let target: Request.Target
    /// Where the answer is published.
    let topic: Topic
    /// The last day of its figures.
    let lastDay: KoreanDate
    /// The looks at it, in the order of their times.
    let looks: [ScheduledCheck]

    /// From when on it is late if it is not there; on the day after its last, when it always has been.
    var late: Date {
        let hour = if case .day = target { 9.0 } else { 12.0 }
        return (lastDay + 1).start + hour * 3600
    }

    /// That it is late.
    var lateness: Anomaly? {
        switch target {
        case .day(let date, let market): .late(date, in: market, at: "09:00")
        case .week(let week, let market): .late(week, in: market, at: "12:00")
        case .movie, .products, .productOrder: nil
        }
    }

    /// The national chart of a day: in its night, thrice on the day after it, and ever more seldom.
    static func day(_ date: KoreanDate) -> ScheduledChart {
        ScheduledChart(
            name: "day.\(date)", target: .day(date, .all), topic: .ranking(day: date, market: .all), lastDay: date,
            looks: [
                look("night", date, after: 1, at: (0, 5)), look("morning", date, after: 1, at: (9, 0)),
                look("noon", date, after: 1, at: (12, 30)), look("evening", date, after: 1, at: (19, 0)),
                look("second", date, after: 2, at: (10, 0)), look("third", date, after: 3, at: (10, 0)),
                look("seventh", date, after: 7, at: (10, 0)), look("thirtieth", date, after: 30, at: (10, 0)),
            ])
    }

    /// The national chart of a week: on the day after it, and when its days are settled.
    static func week(_ week: Week) -> ScheduledChart {
        let last = week.lastDay
        return ScheduledChart(
            name: "\(week.span.rawValue).\(week.firstDay)", target: .week(week, .all),
            topic: .weekRanking(week, market: .all), lastDay: last,
            looks: [
                look("morning", last, after: 1, at: (9, 30)), look("evening", last, after: 1, at: (19, 30)),
                look("third", last, after: 3, at: (10, 30)), look("seventh", last, after: 7, at: (10, 30)),
            ])
    }

    /// Everything that has looks at `now` or yet to come, oldest first; yesterday's chart comes last.
    static func all(at now: Date) -> [ScheduledChart] {
        let today = KoreanDate(at: now)
        let days = (1...30).map { ScheduledChart.day(today - $0) }
        // The spans that ended within the last seven days.
        let weeks = Week.Span.allCases.flatMap { span in
            [today, today - 7].map { Week(of: $0, span: span) }.filter { (1...7).contains(today - $0.lastDay) }
        }.map(ScheduledChart.week)
        return (days + weeks).filter { $0.lastDay >= .firstChart }.sorted { $0.lastDay < $1.lastDay }
    }

    /// The newest look that is due.
    func due(at now: Date) -> ScheduledCheck? {
        looks.last { $0.time <= now }
    }

    /// The look after that.
    func next(after now: Date) -> ScheduledCheck? {
        looks.first { $0.time > now }
    }

    private static func look(
        _ word: String, _ date: KoreanDate, after days: Int, at time: (hour: Int, minute: Int)
    ) -> ScheduledCheck {
        let seconds = Double(time.hour * 3600 + time.minute * 60)
        return ScheduledCheck(word: word, time: (date + days).start + seconds)
    }
}
