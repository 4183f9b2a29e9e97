import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Operations
import SQLite
import Upstreams

/// Works off backfill jobs, newest days first, over as many days as the quota makes it: the worker's second own client.
///
/// A few requests at a time go through the inbox with `priority` `backfill`, under ids that follow from job and item, so
/// that a crash loses nothing and asks for nothing twice. What is settled in the log is not asked for. When the part of
/// the quota that is for backfill is used up, it rests until midnight in Korea; when a service fails, for a while.
struct BackfillService: Service {
    /// What the ids of its requests begin with.
    static let prefix = "backfill."
    /// The most requests that are under way at once: enough to keep every fetcher busy, and far from the inbox's limit.
    static let width = 64

    let store: WorkerStore
    let intake: RequestIntake
    let quota: QuotaLedger
    /// Whether there is somebody to ask for posters.
    let hasPosters: Bool
    let logger: Logger
    let clock: WallClock
    let sleeper: any Clock<Duration>
    let wakeSignal: WakeSignal
    let state = Locked(BackoffState())

    /// Why it rests, and how often in a row it had to.
    struct BackoffState: Sendable {
        var failures = 0
        var code: ContractError.Code?
        var until: Date?
    }

    /// Works until it is stopped.
    func run() async throws {
        await wakeSignal.runLoop(sleeper) {
            do {
                return try await turn()
            } catch {
                logger.error("the backfill cannot go on; it will be tried again", [.error: "\(error)"])
                return .seconds(30)
            }
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Takes note of what has ended, asks for more, and returns how long nothing needs to be done.
    func turn() async throws -> Duration {
        let now = clock.now()
        guard let job = try await store.database.read({ try BackfillStore.current(in: $0) }) else {
            return .seconds(600)
        }
        let outstanding = try await settle(job, at: now)
        if let until = state.withLock({ $0.until }), now < until { return .seconds(until.timeIntervalSince(now)) }
        // Refilled by halves, so that many ends share one turn.
        guard outstanding <= Self.width / 2 else { return .seconds(60) }
        let (service, left) = try await budget(of: job)
        let budget = left - outstanding
        guard budget > 0 else {
            // What is under way gives the signal when it has ended.
            guard outstanding == 0 else { return .seconds(60) }
            return rest(until: try await quota.reopening(of: service), .quotaExhausted)
        }
        let picked = try await pick(min(Self.width - outstanding, budget), of: job, at: now)
        if !picked.isEmpty {
            try await ask(for: picked, of: job)
            return .seconds(60)
        }
        guard outstanding == 0 else { return .seconds(60) }
        return try await finish(job)
    }

    /// Takes note of the requests that have ended, and returns how many have not.
    private func settle(_ job: BackfillJob, at now: Date) async throws -> Int {
        let (waiting, codes, done) = try await store.database.write { connection in
            let asked = try BackfillStore.items(of: job.number, in: .asked, limit: Self.width, in: connection)
            var ended: [BackfillStore.State: [BackfillJob.Item]] = [:]
            var codes: [ContractError.Code] = []
            for item in asked {
                let id = item.id(in: job.number)
                let outcome =
                    try item.isMovie
                    ? store.outcomeOfMovie(id, in: connection) : store.outcome(of: id, in: connection)
                switch outcome {
                case .waiting: continue
                case .done: ended[.done, default: []].append(item)
                case .failed(let code):
                    if Self.isWorthAnother(code) { codes.append(code) }
                    ended[Self.isWorthAnother(code) ? .waiting : .failed, default: []].append(item)
                }
            }
            for (state, items) in ended {
                try BackfillStore.move(items, of: job.number, to: state, in: connection)
            }
            return (asked.count - ended.values.reduce(0) { $0 + $1.count }, codes, ended[.done]?.count ?? 0)
        }
        if done > 0 { state.withLock { $0 = BackoffState() } }
        // The quota's end is seen by its balance, and needs no pause of its own.
        if let code = codes.first(where: { $0 != .quotaExhausted }) {
            let failures = state.withLock { state in
                state.failures += 1
                return state.failures
            }
            let needsPerson = code == .unauthorized || code == .forbidden
            let pause = needsPerson ? 600 : min(Double(1 << min(failures, 10)), 600)
            _ = rest(until: now + pause, code)
        }
        return waiting
    }

    /// Whether asking again may have another answer. A key that is refused may be replaced.
    private static func isWorthAnother(_ code: ContractError.Code) -> Bool {
        code != .notPublished && (code.isRetryable || code == .unauthorized || code == .forbidden)
    }

    private func rest(until time: Date, _ code: ContractError.Code) -> Duration {
        let (isNew, pause) = state.withLock { state in
            let isNew = state.code != code
            state.code = code
            state.until = time
            return (isNew, time.timeIntervalSince(clock.now()))
        }
        if isNew { logger.warning("the backfill rests", [.code: code.rawValue, .after: Duration.seconds(pause)]) }
        return .seconds(max(pause, 1))
    }

    /// How many requests the quota has room for, and whose that is: films come last, and need a call for the poster, too.
    private func budget(of job: BackfillJob) async throws -> (service: String, left: Int) {
        let balances = try await quota.balances()
        let isAtMovies = try await store.database.read { try job.movies && !BackfillStore.wantsMovies(job, in: $0) }
        let services = isAtMovies && hasPosters ? [Kobis.service, KakaoImageSearch.service] : [Kobis.service]
        let budgets = services.map { ($0, balances[$0]?.leftForBackfill ?? Self.width) }
        return budgets.min { $0.1 < $1.1 } ?? (Kobis.service, Self.width)
    }

    /// Takes the next items that have to be asked for; those that have not are done.
    private func pick(_ count: Int, of job: BackfillJob, at now: Date) async throws -> [BackfillJob.Item] {
        while true {
            let (items, needed) = try await store.database.write { connection in
                let items = try BackfillStore.items(of: job.number, in: .waiting, limit: count, in: connection)
                let known = try items.filter {
                    try store.isAtRest($0, withPosters: hasPosters, at: now, in: connection)
                }
                try BackfillStore.move(known, of: job.number, to: .done, in: connection)
                return (items, items.filter { !known.contains($0) })
            }
            if items.isEmpty || !needed.isEmpty { return needed }
        }
    }

    private func ask(for items: [BackfillJob.Item], of job: BackfillJob) async throws {
        state.withLock { $0.until = nil }
        let offers = items.compactMap { item -> WorkerStore.IntakeItem? in
            guard let id = item.id(in: job.number), let target = item.target(withPosters: hasPosters) else {
                return nil
            }
            let request = Request(target, id: id, priority: .backfill)
            return WorkerStore.IntakeItem(
                accepted: AcceptedRequest(id: id, request: request, origin: .backfill), frames: request.frames)
        }
        let results = await intake.take(offers)
        // Noted after they are in the inbox: what a crash leaves unnoted is known there when it is asked for again.
        try await store.database.write { connection in
            let taken = zip(items, results).filter { (try? $1.get()) != nil }.map(\.0)
            try BackfillStore.move(taken, of: job.number, to: .asked, in: connection)
        }
    }

    /// Lists the films, if they are wanted, and else ends the job.
    private func finish(_ job: BackfillJob) async throws -> Duration {
        if try await store.database.read({ try BackfillStore.wantsMovies(job, in: $0) }) {
            let movies = try await store.unknownMovies(
                from: job.first, to: job.last, withPosters: hasPosters)
            try await store.database.write { try BackfillStore.list(movies, of: job, in: $0) }
        } else {
            try await store.database.write { try BackfillStore.end(job, in: $0) }
            logger.info("a backfill is over", [.count: job.number])
        }
        return .zero
    }
}
