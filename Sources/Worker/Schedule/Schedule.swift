import BoxOffice
import Contract
import FoundationEssentials

/// Decides when a chart is requested, from the time and the state on disk. It has no I/O, no clock and no state.
///
/// A check is done once an upstream has answered after the check's time, whichever client requested it. Until then the request is
/// repeated: after growing pauses if the chart is not published or the service fails, every hour if a person has to act,
/// and on the next day if the quota is used up.
///
/// See docs/decisions/stateless-schedule.md.
struct Schedule: Sendable {
    /// One request that was made for a check.
    struct Attempt: Hashable, Sendable {
        /// When the request was accepted.
        let time: Date
        let result: RequestResult
    }

    /// What is on disk about a chart.
    struct ChartState: Hashable, Sendable {
        /// Whether the log has the chart.
        var isKnown = false
        /// When an upstream last confirmed it.
        var checked: Date?
        /// The attempts of the due check, in their order.
        var attempts: [Attempt] = []
    }

    /// What to do about a chart.
    enum Step: Hashable, Sendable {
        /// Send the request now: attempt number `attempt` of this check.
        case request(ScheduledChart.Check, attempt: Int)
        /// Send the request again at this time.
        case wait(until: Date)
        /// Do nothing before the next check, or before the present attempt has ended.
        case none
    }

    /// How many days back a chart is requested that the log does not have, as live.
    var recentDays = Self.usualRecentDays
    static let usualRecentDays = 3

    /// Decides what to do about a chart.
    ///
    /// - Parameter since: The oldest day whose chart is in the log. Missing days after it, as after a long stop, are
    ///   requested; if it is nil, only the last ``recentDays`` are.
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
