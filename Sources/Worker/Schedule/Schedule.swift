import BoxOffice
import Contract
import FoundationEssentials

/// Decides when a chart is asked for, from the time and from what is on disk. No I/O, no clock, no memory of its own.
///
/// A look is over once an upstream has answered since its time, whoever asked. Until then it is tried again, gently: what
/// is not published yet, and a service that fails, after ever longer pauses; what needs a person, by the hour; and when
/// the quota is used up, on the next day.
///
/// See docs/decisions/0011-stateless-schedule.md.
struct Schedule: Sendable {
    /// One request that was made for a look.
    struct OrderIntent: Hashable, Sendable {
        enum Outcome: Hashable, Sendable {
            case waiting
            case done
            case failed(ContractError.Code)
        }

        /// When it was accepted.
        let time: Date
        let outcome: Outcome
    }

    /// What is known about a subject.
    struct Knowledge: Hashable, Sendable {
        /// Whether the log has a chart.
        var isKnown = false
        /// When an upstream last confirmed it.
        var checked: Date?
        /// The attempts at the look that is due, in their order.
        var attempts: [OrderIntent] = []
    }

    /// What is to be done about a subject.
    enum Step: Hashable, Sendable {
        /// Ask now, for a look, by its so manieth attempt.
        case ask(ScheduledChart.ScheduledCheck, attempt: Int)
        /// Ask again then.
        case waitUntil(Date)
        /// Nothing before the look after this one, or before the attempt that is under way has ended.
        case rest
    }

    /// How many days back a chart is fetched that nobody has asked for yet.
    static let reach = 3

    /// Decides what is to be done about `subject`.
    ///
    /// `since` is the oldest day of which a chart is known, if there is one: from then on days that are missing, as
    /// after a time of rest, are made up for. Without it nothing is fetched but the last days.
    func step(for subject: ScheduledChart, knowing known: Knowledge, since: KoreanDate?, at now: Date) -> Step {
        let age = KoreanDate(at: now) - subject.lastDay
        let isWanted = known.isKnown || age <= Self.reach || since.map { $0 <= subject.lastDay } ?? false
        guard isWanted, let look = subject.due(at: now) else { return .rest }
        // A time to come is from before the clock was set back, and says nothing.
        if let checked = known.checked, (look.time...max(now, look.time)).contains(checked) { return .rest }
        guard let last = known.attempts.last else { return .ask(look, attempt: 1) }
        guard case .failed(let code) = last.outcome else { return .rest }
        guard let pause = pause(after: known.attempts.count, code, isYesterday: age == 1, at: last.time) else {
            return .rest
        }
        let time = last.time + pause
        return time <= now ? .ask(look, attempt: known.attempts.count + 1) : .waitUntil(time)
    }

    /// Whether a chart whose last day was yesterday is late: the upstream has said, late enough, that there is none.
    func isLate(_ subject: ScheduledChart, knowing known: Knowledge, at now: Date) -> Bool {
        guard subject.lastDay == .yesterday(at: now), !known.isKnown, let last = known.attempts.last else {
            return false
        }
        return last.outcome == .failed(.notPublished) && last.time >= subject.late
    }

    /// How long to wait after so many attempts of a look, the last of which failed with `code`; nil for the next look.
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
