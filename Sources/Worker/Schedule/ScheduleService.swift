import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import ServiceRuntime

/// Requests charts when their checks are due, and the movies in them. Its requests go through the inbox like those of
/// clients, under ids that follow from the chart and the check, such as `schedule.day.2024-06-04.morning`: after a
/// crash or a restart none is made twice and none is left out.
struct ScheduleService: Service {
    struct NextRun: Hashable, Sendable, Encodable {
        let what: String
        let at: String
    }

    static let prefix = "schedule."
    /// The pause before the first check after a start: what clients request in it need not be requested again.
    static let startDelay = Duration.seconds(15)
    /// The longest pause in seconds. Checks may have become due while the machine slept or the clock was set.
    private static let longestPause = 30.0

    let store: WorkerStore
    let intake: RequestIntake
    let hasPosters: Bool
    let metrics: WorkerMetrics
    let runtime: Runtime
    let wakeSignal: WakeSignal
    var schedule = Schedule()
    /// Whether requests wait for charts that the alerts of theirs rest on.
    var isWaiting: @Sendable () async throws -> Bool = { false }

    func run() async throws {
        await wakeSignal.runLoop(after: Self.startDelay, runtime.clock) {
            do {
                return .seconds(try await requestDue())
            } catch {
                runtime.logger.error(
                    "the schedule cannot be computed; it will be tried again", [.error: "\(error)"])
                return .seconds(60)
            }
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    func nextRuns(_ count: Int = 8) async throws -> [NextRun] {
        let now = runtime.wallClock.now()
        let plan = try await plan(at: now)
        let due = plan.requests.compactMap {
            $0.id.map { (String($0.description.dropFirst(Self.prefix.count)), now) }
        }
        let runs = (due + plan.upcoming).sorted { $0.1 < $1.1 }.prefix(count)
        return runs.map { NextRun(what: $0.0, at: $0.1.ISO8601Format()) }
    }

    /// Makes the requests that are due, and returns after how many seconds to call it again.
    func requestDue() async throws -> TimeInterval {
        guard try await store.read({ try WorkerRegistry($0).isLeader() }) else { return 5 }
        guard try await !isWaiting() else { return 1 }
        let now = runtime.wallClock.now()
        let plan = try await plan(at: now)
        let late = plan.late.isEmpty ? [] : try await store.write { try SettlementStore($0).appendLate(plan.late) }
        for anomaly in late {
            metrics.countAnomaly(anomaly)
            runtime.logger.warning("anomaly", [.reason: anomaly.text])
        }
        var pause = plan.upcoming.map { $0.1.timeIntervalSince(now) }.min() ?? Self.longestPause
        let items = plan.requests.compactMap { IntakeItem($0, origin: .schedule) }
        for (item, result) in zip(items, await intake.accept(items)) {
            switch result {
            case .success(let id): runtime.logger.debug("scheduled", [.request: id])
            case .failure(let error):
                runtime.logger.warning(
                    "a scheduled request is refused", [.request: item.accepted.id, .reason: error.message])
                // A full inbox or a full disk may have room later; a conflicting id is met again and logged again.
                pause = min(pause, 60)
            }
        }
        return min(max(pause, 1), Self.longestPause)
    }

    private struct Plan: Sendable {
        var requests: [Request] = []
        var upcoming: [(String, Date)] = []
        var late: [Anomaly] = []
    }

    private func plan(at now: Date) async throws -> Plan {
        try await store.read { transaction in
            let charts = ScheduledChart.all(at: now)
            let states = try charts.map { try state(of: $0, at: now, in: transaction) }
            let since = zip(charts, states).first { $1.isKnown }?.0.lastDay
            var plan = Plan()
            for (chart, state) in zip(charts, states) { add(chart, in: state, since: since, at: now, to: &plan) }
            let yesterday = KoreanDate.yesterday(at: now)
            let today = ScheduledChart.day(yesterday + 1)
            plan.upcoming.append(("\(today.name).\(today.checks[0].word)", today.checks[0].time))
            plan.requests += try movies(of: yesterday, at: now, in: transaction)
            return plan
        }
    }

    private func add(
        _ chart: ScheduledChart, in state: Schedule.ChartState, since: KoreanDate?, at now: Date, to plan: inout Plan
    ) {
        switch schedule.step(for: chart, in: state, since: since, at: now) {
        case .request(let check, let attempt):
            // A day that was missed long ago is history.
            let isHistory = !state.isKnown && KoreanDate(at: now) - chart.lastDay > schedule.recentDays
            let id = RequestID("\(Self.prefix)\(chart.name).\(check.word)" + (attempt > 1 ? ".\(attempt)" : ""))
            plan.requests.append(Request(chart.target, id: id, refresh: true, priority: isHistory ? .backfill : .live))
        case .wait(let time): plan.upcoming.append((chart.name, time))
        case .none: break
        }
        if let next = chart.next(after: now), state.isKnown || KoreanDate(at: now) - chart.lastDay <= 2 {
            plan.upcoming.append(("\(chart.name).\(next.word)", next.time))
        }
        if schedule.isLate(chart, in: state, at: now), let anomaly = chart.lateAnomaly { plan.late.append(anomaly) }
    }

    private func state(
        of chart: ScheduledChart, at now: Date, in transaction: StoreTransaction
    ) throws -> Schedule.ChartState {
        var state = Schedule.ChartState()
        state.isKnown = try transaction.latest(chart.topic) != nil
        state.checked = try Freshness(transaction).lastCheck(of: chart.topic)
        if let check = chart.due(at: now) {
            let inbox = RequestInbox(transaction)
            state.attempts = try inbox.requests(underID: "\(Self.prefix)\(chart.name).\(check.word)").map { id, time in
                Schedule.Attempt(time: time, result: try inbox.result(of: id))
            }
        }
        return state
    }

    /// Returns requests for the movies of a day's chart whose details or poster are unknown or stale, each once a day.
    private func movies(of date: KoreanDate, at now: Date, in transaction: StoreTransaction) throws -> [Request] {
        guard let chart = try transaction.chart(.ranking(day: date, market: .all)) else { return [] }
        return try chart.entries.map(\.movieCode).compactMap { code in
            let request = Request(
                .movie(code, poster: hasPosters), id: RequestID("\(Self.prefix)movie.\(code).\(date)"))
            guard let id = request.id, try RequestInbox(transaction).state(of: id) == nil else { return nil }
            let fresh = try readable { try Freshness(transaction).events(for: request, at: now) }
            return fresh?.isComplete == true ? nil : request
        }
    }
}
