import BoxOffice
import Contract
import FoundationEssentials
import Testing

@testable import Worker

/// When a chart is asked for, as a table of what is known and what follows from it.
@Suite struct ScheduleTests {
    private let schedule = Schedule()

    /// A time in Korea.
    private func time(_ date: String, _ hour: Int, _ minute: Int = 0) -> Date {
        Sample.date(date).start + Double(hour * 3600 + minute * 60)
    }

    private func step(
        _ knowledge: Schedule.Knowledge = Schedule.Knowledge(), of date: String = "2024-06-04", at now: Date,
        since: String? = nil
    ) -> Schedule.Step {
        schedule.step(for: .day(Sample.date(date)), knowing: knowledge, since: since.map(Sample.date), at: now)
    }

    private func known(checked: Date?, _ attempts: [Schedule.OrderIntent] = []) -> Schedule.Knowledge {
        Schedule.Knowledge(isKnown: true, checked: checked, attempts: attempts)
    }

    private func failed(_ code: ContractError.Code, _ times: Date...) -> [Schedule.OrderIntent] {
        times.map { Schedule.OrderIntent(time: $0, outcome: .failed(code)) }
    }

    @Test("a day's looks begin five minutes after it, and each has a time in Korea")
    func times() {
        let looks = ScheduledChart.day(Sample.date("2024-06-04")).looks
        #expect(
            looks.map(\.word) == ["night", "morning", "noon", "evening", "second", "third", "seventh", "thirtieth"])
        #expect(looks[0].time == time("2024-06-05", 0, 5))
        #expect(looks.map(\.time) == looks.map(\.time).sorted())
        #expect(looks.last?.time == time("2024-07-04", 10))
    }

    @Test("yesterday is asked for from 00:05 on, and not before")
    func night() {
        #expect(step(at: time("2024-06-05", 0, 4)) == .rest)
        guard case .ask(let look, attempt: 1) = step(at: time("2024-06-05", 0, 5)) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(look.word == "night")
    }

    @Test("a look is over once anybody has had an answer since its time; the next begins at its own")
    func answered() {
        let state = known(checked: time("2024-06-05", 0, 6))
        #expect(step(state, at: time("2024-06-05", 8, 59)) == .rest)
        guard case .ask(let look, attempt: 1) = step(state, at: time("2024-06-05", 9)) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(look.word == "morning")
        #expect(step(known(checked: time("2024-06-05", 9, 1)), at: time("2024-06-05", 12)) == .rest)
    }

    @Test("while it is under way, or done, nothing is asked again")
    func underWay() {
        for outcome in [Schedule.OrderIntent.Outcome.waiting, .done] {
            let attempts = [Schedule.OrderIntent(time: time("2024-06-05", 0, 5), outcome: outcome)]
            #expect(step(Schedule.Knowledge(attempts: attempts), at: time("2024-06-05", 3)) == .rest)
        }
    }

    @Test(
        "what is not published yet, and a fault, are tried after 1, 2, 4 … and at most 30 minutes",
        arguments: [ContractError.Code.notPublished, .upstreamUnavailable, .maintenance, .upstreamTimeout])
    func backOff(_ code: ContractError.Code) {
        let start = time("2024-06-05", 0, 5)
        for (count, minutes) in [(1, 1.0), (2, 2), (3, 4), (5, 16), (6, 30), (9, 30)] {
            let attempts = Array(repeating: failed(code, start)[0], count: count)
            let state = Schedule.Knowledge(attempts: attempts)
            #expect(step(state, at: start + minutes * 60 - 1) == .waitUntil(start + minutes * 60))
            guard case .ask(_, attempt: count + 1) = step(state, at: start + minutes * 60) else {
                Issue.record("nothing is asked after \(count) attempts")
                continue
            }
        }
    }

    @Test("an empty list of an older day waits for its next look, and what needs a person for an hour")
    func otherFailures() {
        let now = time("2024-06-06", 10, 1)
        let old = Schedule.Knowledge(attempts: failed(.notPublished, time("2024-06-06", 10)))
        #expect(step(old, at: now) == .rest)
        let refused = Schedule.Knowledge(attempts: failed(.unauthorized, time("2024-06-06", 10)))
        #expect(step(refused, at: now) == .waitUntil(time("2024-06-06", 11)))
        let exhausted = Schedule.Knowledge(attempts: failed(.quotaExhausted, time("2024-06-06", 10)))
        #expect(step(exhausted, at: now) == .waitUntil(time("2024-06-07", 0)))
    }

    @Test("one look makes up for all that were missed, and days that nobody knew only as far as the log goes back")
    func catchingUp() {
        let now = time("2024-06-14", 8)
        let state = known(checked: time("2024-06-05", 0, 6))
        guard case .ask(let look, attempt: 1) = step(state, at: now) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(look.word == "seventh")
        #expect(step(of: "2024-06-08", at: now) == .rest)
        #expect(step(of: "2024-06-08", at: now, since: "2024-06-09") == .rest)
        #expect(step(of: "2024-06-08", at: now, since: "2024-06-04") != .rest)
        #expect(step(of: "2024-06-11", at: now) != .rest)
    }

    @Test("an answer from a time to come is from before the clock was set back")
    func clockSetBack() {
        #expect(step(known(checked: time("2025-01-01", 0)), at: time("2024-06-05", 3)) != .rest)
    }

    @Test("yesterday's chart is late once the upstream says at nine or later that there is none, and not by a fault")
    func late() {
        let date = Sample.date("2024-06-04")
        let nine = time("2024-06-05", 9)
        func isLate(_ attempts: [Schedule.OrderIntent], isKnown: Bool = false) -> Bool {
            schedule.isLate(
                .day(date), knowing: Schedule.Knowledge(isKnown: isKnown, attempts: attempts), at: nine + 60)
        }
        #expect(isLate(failed(.notPublished, nine)))
        #expect(!isLate(failed(.notPublished, nine - 1)))
        #expect(!isLate(failed(.maintenance, nine)))
        #expect(!isLate(failed(.notPublished, nine), isKnown: true))
        #expect(!isLate([]))
    }

    @Test("a week's chart is late at noon of the day after its last, and on that day alone")
    func lateWeek() {
        let weekend = ScheduledChart.week(Week(of: Sample.date("2024-06-02"), span: .weekend))
        func isLate(_ attempt: Date, at now: Date) -> Bool {
            schedule.isLate(
                weekend, knowing: Schedule.Knowledge(attempts: failed(.notPublished, attempt)), at: now)
        }
        let noon = time("2024-06-03", 12)
        #expect(isLate(noon, at: noon + 60))
        #expect(!isLate(noon - 1, at: noon + 60))
        #expect(!isLate(noon + 86_400, at: noon + 86_460))
        #expect(
            weekend.lateness?.text
                == "the weekend chart of 2024-05-31~2024-06-02 is not there at 12:00 of the day after it")
    }

    @Test("weeks are looked at on the day after their last, and when they are settled")
    func weeks() {
        let week = Week(of: Sample.date("2024-06-04"), span: .weekend)
        let subject = ScheduledChart.week(week)
        #expect(subject.name == "weekend.2024-06-07")
        #expect(subject.looks.first?.time == time("2024-06-10", 9, 30))
        let names = ScheduledChart.all(at: time("2024-06-10", 12)).map(\.name)
        #expect(names.contains("weekend.2024-06-07") && names.contains("week.2024-06-03"))
        #expect(names.contains("weekdays.2024-06-03") && !names.contains("weekdays.2024-06-10"))
        #expect(names.count { $0.hasPrefix("day.") } == 30)
    }
}
