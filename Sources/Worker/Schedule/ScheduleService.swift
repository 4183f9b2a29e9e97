import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Operations
import SQLite

/// Asks for charts when their time has come, and for the films in them: the worker's own client.
///
/// What it asks for goes through the inbox like everybody's requests, under ids that follow from what is asked and when,
/// such as `schedule.day.2024-06-04.morning`: after a crash or a restart nothing is asked twice, and nothing is left out.
struct ScheduleService: Service {
    /// Something that will be asked for, and when.
    struct NextRun: Hashable, Sendable, Encodable {
        let what: String
        let at: String
    }

    /// What the ids of its requests begin with.
    static let prefix = "schedule."
    /// How long the worker's clients go first after a start: what they ask for need not be asked for again.
    static let patience = Duration.seconds(15)
    /// The longest sleep: a machine that was asleep itself, or whose clock was set, is behind what is due.
    private static let longestPause = 30.0

    let store: WorkerStore
    let intake: RequestIntake
    let hasPosters: Bool
    let metrics: WorkerMetrics
    let logger: Logger
    let clock: WallClock
    let sleeper: any Clock<Duration>
    let wakeSignal: WakeSignal
    private let schedule = Schedule()

    /// Works until it is stopped.
    func run() async throws {
        await wakeSignal.runLoop(after: Self.patience, sleeper) {
            do {
                return .seconds(try await look())
            } catch {
                logger.error("what is due cannot be found out; it will be tried again", [.error: "\(error)"])
                return .seconds(60)
            }
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// What is asked for next, soonest first.
    func appointments(_ count: Int = 8) async throws -> [NextRun] {
        let now = clock.now()
        let plan = try await plan(at: now)
        let waiting = plan.requests.compactMap {
            $0.id.map { (String($0.description.dropFirst(Self.prefix.count)), now) }
        }
        let upcoming = (waiting + plan.upcoming).sorted { $0.1 < $1.1 }.prefix(count)
        return upcoming.map { NextRun(what: $0.0, at: $0.1.ISO8601Format()) }
    }

    /// Asks for what is due, and returns in how many seconds to look again.
    func look() async throws -> TimeInterval {
        let now = clock.now()
        let plan = try await plan(at: now)
        for anomaly in plan.late where try await store.tellLate(anomaly) {
            metrics.find(anomaly)
            logger.warning("anomaly", [.reason: anomaly.text])
        }
        var pause = plan.upcoming.map { $0.1.timeIntervalSince(now) }.min() ?? Self.longestPause
        let offers = plan.requests.compactMap { request in
            request.id.map { id in
                WorkerStore.IntakeItem(
                    accepted: AcceptedRequest(id: id, request: request, origin: .schedule), frames: request.frames)
            }
        }
        for (offer, result) in zip(offers, await intake.take(offers)) {
            switch result {
            case .success(let id): logger.debug("scheduled", [.request: id])
            case .failure(let failure):
                // No room, or a disk that refuses: later. An id that somebody else has used: never.
                logger.warning(
                    "a scheduled request is refused", [.request: offer.accepted.id, .reason: failure.message])
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
        let yesterday = KoreanDate.yesterday(at: now)
        return try await store.database.read { connection in
            var plan = Plan()
            let subjects = ScheduledChart.all(at: now)
            let known = try subjects.map { try store.knowledge(of: $0, at: now, in: connection) }
            let since = zip(subjects, known).first { $1.isKnown }?.0.lastDay
            for (subject, known) in zip(subjects, known) {
                switch schedule.step(for: subject, knowing: known, since: since, at: now) {
                case .ask(let look, let attempt):
                    plan.requests.append(request(for: subject, look, attempt, isKnown: known.isKnown, at: now))
                case .waitUntil(let time):
                    plan.upcoming.append((subject.name, time))
                case .rest: break
                }
                if let next = subject.next(after: now), known.isKnown || KoreanDate(at: now) - subject.lastDay <= 2 {
                    plan.upcoming.append(("\(subject.name).\(next.word)", next.time))
                }
                if schedule.isLate(subject, knowing: known, at: now), let anomaly = subject.lateness {
                    plan.late.append(anomaly)
                }
            }
            let today = ScheduledChart.day(yesterday + 1)
            plan.upcoming.append(("\(today.name).\(today.looks[0].word)", today.looks[0].time))
            plan.requests += try movies(of: yesterday, at: now, in: connection)
            return plan
        }
    }

    private func request(
        for subject: ScheduledChart, _ look: ScheduledChart.ScheduledCheck, _ attempt: Int, isKnown: Bool, at now: Date
    ) -> Request {
        let isOld = KoreanDate(at: now) - subject.lastDay > Schedule.reach
        return Request(
            subject.target,
            id: RequestID("\(Self.prefix)\(subject.name).\(look.word)" + (attempt > 1 ? ".\(attempt)" : "")),
            refresh: true,
            // A day that was missed long ago is history.
            priority: isOld && !isKnown ? .backfill : .live)
    }

    /// The films of a day's chart that are not known or stale, each once a day.
    private func movies(of date: KoreanDate, at now: Date, in connection: Connection) throws -> [Request] {
        let chart = Topic.ranking(day: date, market: .all)
        let codes = try store.staleMovies(of: chart, withPosters: hasPosters, at: now, in: connection)
        return try codes.compactMap { code in
            let id = "\(Self.prefix)movie.\(code).\(date)"
            guard try store.inbox.requests(underID: id, in: connection).isEmpty else { return nil }
            return Request(.movie(code, poster: hasPosters), id: RequestID(id))
        }
    }
}
