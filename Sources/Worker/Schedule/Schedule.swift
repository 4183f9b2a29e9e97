import BoxOffice
import Contract
import FoundationEssentials

/// Decides when a chart is requested, from the time and the state on disk. It has no I/O, no clock and no state.  A
/// check is done once an upstream has answered after the check's time, whichever client requested it. Until then the
/// request is repeated: after growing pauses if the chart is not published or the service fails, every hour if a person
/// has to act, and on the next day if the quota is used up.  See docs/decisions/stateless-schedule.md.
struct Schedule: Sendable {
    struct Attempt: Hashable, Sendable {
        let time: Date
        let result: RequestResult
    }

    struct ChartState: Hashable, Sendable {
        var isKnown = false
        var checked: Date?
        var attempts: [Attempt] = []
    }

    enum Step: Hashable, Sendable {
        /// Send the request now: attempt number `attempt` of this check.
        case request(ScheduledChart.Check, attempt: Int)
        case wait(until: Date)
        /// Do nothing before the next check, or before the present attempt has ended.
        case none
    }

    /// How many days back a chart is requested that the log does not have, as live.
    var recentDays = WorkerProcess.usualLiveDays

    /// Decides what to do about a chart. Missing days after `since`, the oldest day in the log, are requested, as after a
    /// long stop; if it is nil, only the last ``recentDays`` are.
    func step(for chart: ScheduledChart, in state: ChartState, since: KoreanDate?, at now: Date) -> Step {
        let age = KoreanDate(at: now) - chart.lastDay
        let isWanted = state.isKnown || age <= recentDays || since.map { $0 <= chart.lastDay } ?? false
        guard isWanted, let check = chart.due(at: now) else { return .none }
        // A time in the future is from before the clock was set back and says nothing.
        if let checked = state.checked, (check.time...max(now, check.time)).contains(checked) { return .none }
        guard let last = state.attempts.last else { return .request(check, attempt: 1) }
        guard case .failed(let code, _) = last.result else { return .none }
        guard let pause = pause(after: state.attempts.count, code, isYesterday: age == 1, at: last.time) else {
            return .none
        }
        let time = last.time + pause
        return time <= now ? .request(check, attempt: state.attempts.count + 1) : .wait(until: time)
    }

    /// Whether a chart whose last day was yesterday is late: KOBIS has answered after the deadline that it has none.
    func isLate(_ chart: ScheduledChart, in state: ChartState, at now: Date) -> Bool {
        guard chart.lastDay == .yesterday(at: now), !state.isKnown, let last = state.attempts.last else {
            return false
        }
        return last.result == .failed(.notPublished) && last.time >= chart.deadline
    }

    /// Returns how many seconds to wait after this many attempts of a check, the last of which failed with `code`, or nil
    /// to wait for the next check.
    private func pause(after attempts: Int, _ code: ContractError.Code, isYesterday: Bool, at time: Date)
        -> TimeInterval?
    {
        switch code {
        case .notPublished where !isYesterday: nil
        case .quotaExhausted: (KoreanDate(at: time) + 1).start.timeIntervalSince(time)
        case .unauthorized, .forbidden, .upstreamInvalid, .uncertain, .notFound, .badRequest, .dateOutOfRange,
            .conflict:
            3600
        case .notPublished, .upstreamUnavailable, .upstreamTimeout, .maintenance, .overloaded, .internal:
            min(60 * Double(1 << min(attempts - 1, 5)), 1800)
        }
    }
}

/// A chart that is requested repeatedly until its figures are settled. Each check is due from its time on. A later
/// check replaces all that were missed before it.
struct ScheduledChart: Hashable, Sendable {
    struct Check: Hashable, Sendable {
        /// Its word in the ids of requests, such as `morning`.
        let word: String
        let time: Date
    }

    /// Its name in the ids of requests, such as `day.2024-06-04`.
    let name: String
    let target: Request.Target
    let topic: Topic
    let lastDay: KoreanDate
    let checks: [Check]

    /// The time after which a missing chart is late: on the day after its last day.
    var deadline: Date {
        let hour = if case .day = target { 9.0 } else { 12.0 }
        return (lastDay + 1).start + hour * 3600
    }

    var lateAnomaly: Anomaly? {
        switch target {
        case .day(let date, let market): .late(date, in: market, at: "09:00")
        case .week(let week, let market): .late(week.firstDay, week: week, in: market, at: "12:00")
        case .movie, .products, .productOrder: nil
        }
    }

    /// Returns the national chart of a day: checked in the night after it, three times on the next day, then more rarely.
    static func day(_ date: KoreanDate) -> ScheduledChart {
        ScheduledChart(
            name: "day.\(date)", target: .day(date, .all), topic: .ranking(day: date, market: .all), lastDay: date,
            checks: [
                check("night", date, after: 1, at: (0, 5)), check("morning", date, after: 1, at: (9, 0)),
                check("noon", date, after: 1, at: (12, 30)), check("evening", date, after: 1, at: (19, 0)),
                check("second", date, after: 2, at: (10, 0)), check("third", date, after: 3, at: (10, 0)),
                check("seventh", date, after: 7, at: (10, 0)), check("thirtieth", date, after: 30, at: (10, 0)),
            ])
    }

    /// Returns the national chart of a week: checked on the day after it, and when its days are settled.
    static func week(_ week: Week) -> ScheduledChart {
        let last = week.lastDay
        return ScheduledChart(
            name: "\(week.span.rawValue).\(week.firstDay)", target: .week(week, .all),
            topic: .weekRanking(week, market: .all), lastDay: last,
            checks: [
                check("morning", last, after: 1, at: (9, 30)), check("evening", last, after: 1, at: (19, 30)),
                check("third", last, after: 3, at: (10, 30)), check("seventh", last, after: 7, at: (10, 30)),
            ])
    }

    /// Returns the charts that have checks at `now` or later, oldest first; yesterday's chart comes last.
    static func all(at now: Date) -> [ScheduledChart] {
        let today = KoreanDate(at: now)
        let days = (1...30).map { ScheduledChart.day(today - $0) }
        // The spans that ended within the last seven days.
        let weeks = Week.Span.allCases.flatMap { span in
            [today, today - 7].map { Week(of: $0, span: span) }.filter { (1...7).contains(today - $0.lastDay) }
        }.map(ScheduledChart.week)
        return (days + weeks).filter { $0.lastDay >= .firstChart }.sorted { $0.lastDay < $1.lastDay }
    }

    func due(at now: Date) -> Check? {
        checks.last { $0.time <= now }
    }

    func next(after now: Date) -> Check? {
        checks.first { $0.time > now }
    }

    private static func check(
        _ word: String, _ date: KoreanDate, after days: Int, at time: (hour: Int, minute: Int)
    ) -> Check {
        let seconds = Double(time.hour * 3600 + time.minute * 60)
        return Check(word: word, time: (date + days).start + seconds)
    }
}
