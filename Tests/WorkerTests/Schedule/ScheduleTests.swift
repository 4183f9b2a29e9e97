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
        _ state: Schedule.ChartState = Schedule.ChartState(), of date: String = "2024-06-04", at now: Date,
        since: String? = nil
    ) -> Schedule.Step {
        schedule.step(for: .day(Sample.date(date)), in: state, since: since.map(Sample.date), at: now)
    }

    private func known(checked: Date?, _ attempts: [Schedule.Attempt] = []) -> Schedule.ChartState {
        Schedule.ChartState(isKnown: true, checked: checked, attempts: attempts)
    }

    private func failed(_ code: ContractError.Code, _ times: Date...) -> [Schedule.Attempt] {
        times.map { Schedule.Attempt(time: $0, result: .failed(code)) }
    }

    @Test("a day's checks begin five minutes after it, each at a time in Korea")
    func times() {
        let checks = ScheduledChart.day(Sample.date("2024-06-04")).checks
        #expect(
            checks.map(\.word) == ["night", "morning", "noon", "evening", "second", "third", "seventh", "thirtieth"])
        #expect(checks[0].time == time("2024-06-05", 0, 5))
        #expect(checks.map(\.time) == checks.map(\.time).sorted())
        #expect(checks.last?.time == time("2024-07-04", 10))
    }

    @Test("yesterday's chart is requested from 00:05 on, and not before")
    func night() {
        #expect(step(at: time("2024-06-05", 0, 4)) == .none)
        guard case .request(let check, attempt: 1) = step(at: time("2024-06-05", 0, 5)) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(check.word == "night")
    }

    @Test("a check is done once an upstream has answered after its time; the next begins at its own time")
    func answered() {
        let state = known(checked: time("2024-06-05", 0, 6))
        #expect(step(state, at: time("2024-06-05", 8, 59)) == .none)
        guard case .request(let check, attempt: 1) = step(state, at: time("2024-06-05", 9)) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(check.word == "morning")
        #expect(step(known(checked: time("2024-06-05", 9, 1)), at: time("2024-06-05", 12)) == .none)
    }

    @Test("a request in progress or done is not repeated")
    func underWay() {
        for result in [RequestResult.waiting, .done] {
            let attempts = [Schedule.Attempt(time: time("2024-06-05", 0, 5), result: result)]
            #expect(step(Schedule.ChartState(attempts: attempts), at: time("2024-06-05", 3)) == .none)
        }
    }

    @Test(
        "an unpublished chart and an error are retried after 1, 2, 4 … and at most 30 minutes",
        arguments: [ContractError.Code.notPublished, .upstreamUnavailable, .maintenance, .upstreamTimeout])
    func backOff(_ code: ContractError.Code) {
        let start = time("2024-06-05", 0, 5)
        for (count, minutes) in [(1, 1.0), (2, 2), (3, 4), (5, 16), (6, 30), (9, 30)] {
            let attempts = Array(repeating: failed(code, start)[0], count: count)
            let state = Schedule.ChartState(attempts: attempts)
            #expect(step(state, at: start + minutes * 60 - 1) == .wait(until: start + minutes * 60))
            guard case .request(_, attempt: count + 1) = step(state, at: start + minutes * 60) else {
                Issue.record("nothing is asked after \(count) attempts")
                continue
            }
        }
    }

    @Test("an unpublished older day waits for its next check, and an error that needs a person for an hour")
    func otherFailures() {
        let now = time("2024-06-06", 10, 1)
        let old = Schedule.ChartState(attempts: failed(.notPublished, time("2024-06-06", 10)))
        #expect(step(old, at: now) == .none)
        let refused = Schedule.ChartState(attempts: failed(.unauthorized, time("2024-06-06", 10)))
        #expect(step(refused, at: now) == .wait(until: time("2024-06-06", 11)))
        let exhausted = Schedule.ChartState(attempts: failed(.quotaExhausted, time("2024-06-06", 10)))
        #expect(step(exhausted, at: now) == .wait(until: time("2024-06-07", 0)))
    }

    @Test("one check replaces all that were missed, and unknown days are requested only as far as the log goes back")
    func catchingUp() {
        let now = time("2024-06-14", 8)
        let state = known(checked: time("2024-06-05", 0, 6))
        guard case .request(let check, attempt: 1) = step(state, at: now) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(check.word == "seventh")
        #expect(step(of: "2024-06-08", at: now) == .none)
        #expect(step(of: "2024-06-08", at: now, since: "2024-06-09") == .none)
        #expect(step(of: "2024-06-08", at: now, since: "2024-06-04") != .none)
        #expect(step(of: "2024-06-11", at: now) != .none)
    }

    @Test("an answer with a future time does not count as fresh")
    func clockSetBack() {
        #expect(step(known(checked: time("2025-01-01", 0)), at: time("2024-06-05", 3)) != .none)
    }

    @Test("yesterday's chart is late once the upstream answers after nine that it has none, not when a request fails")
    func late() {
        let date = Sample.date("2024-06-04")
        let nine = time("2024-06-05", 9)
        func isLate(_ attempts: [Schedule.Attempt], isKnown: Bool = false) -> Bool {
            schedule.isLate(
                .day(date), in: Schedule.ChartState(isKnown: isKnown, attempts: attempts), at: nine + 60)
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
                weekend, in: Schedule.ChartState(attempts: failed(.notPublished, attempt)), at: now)
        }
        let noon = time("2024-06-03", 12)
        #expect(isLate(noon, at: noon + 60))
        #expect(!isLate(noon - 1, at: noon + 60))
        #expect(!isLate(noon + 86_400, at: noon + 86_460))
        #expect(
            weekend.lateAnomaly?.text
                == "the weekend chart of 2024-05-31~2024-06-02 is not there at 12:00 of the day after it")
    }

    @Test("weeks are checked on the day after their last, and when they are settled")
    func weeks() {
        let week = Week(of: Sample.date("2024-06-04"), span: .weekend)
        let chart = ScheduledChart.week(week)
        #expect(chart.name == "weekend.2024-06-07")
        #expect(chart.checks.first?.time == time("2024-06-10", 9, 30))
        let names = ScheduledChart.all(at: time("2024-06-10", 12)).map(\.name)
        #expect(names.contains("weekend.2024-06-07") && names.contains("week.2024-06-03"))
        #expect(names.contains("weekdays.2024-06-03") && !names.contains("weekdays.2024-06-10"))
        #expect(names.count { $0.hasPrefix("day.") } == 30)
    }
}
