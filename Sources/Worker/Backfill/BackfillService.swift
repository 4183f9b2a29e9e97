import BoxOffice
import Concurrency
import Contract
import EventStore
import FoundationEssentials
import ServiceRuntime
import Upstreams

/// Fetches backfill jobs, newest days first, over as many days as the quota requires.
///
/// Its requests go through the inbox, a limited number at a time, with `priority` `backfill`. Their ids follow from job
/// and item, so that a crash loses none and repeats none. Charts that are settled in the log are not requested. It pauses
/// until midnight in Korea when backfill's part of the quota is used up, and for a while when a service fails. While a key
/// or an address is wrong, it sends one request at a time, so that a wrong configuration does not use up the calls.
struct BackfillService: Service {
    static let prefix = "backfill."
    /// The most requests that are outstanding at once: enough for all fetchers, and far below the inbox's limit.
    static let maximumOutstanding = 64

    let store: WorkerStore
    let intake: RequestIntake
    let quota: QuotaLedger
    /// Whether posters are fetched too: there is a key for the image search.
    let hasPosters: Bool
    let runtime: Runtime
    let wakeSignal: WakeSignal
    let backoff = Locked(BackoffState())

    /// Why and until when it pauses, and how many pauses in a row were due to failures.
    struct BackoffState: Sendable {
        var failures = 0
        var code: ContractError.Code?
        var until: Date?
        /// Whether it pauses until somebody has corrected the configuration.
        var needsOperator = false
    }

    func run() async throws {
        await wakeSignal.runLoop(runtime.clock) {
            do {
                return try await runOnce()
            } catch {
                runtime.logger.error(
                    "the backfill cannot continue; it will be tried again", [.error: "\(error)"])
                return .seconds(30)
            }
        }
    }

    func stop() async {
        wakeSignal.stop()
    }

    /// Records the requests that have ended and makes more; returns after how long to call it again if nothing ends.
    func runOnce() async throws -> Duration {
        let now = runtime.wallClock.now()
        let job = try await store.read { try WorkerRegistry($0).isLeader() ? BackfillStore($0).current() : nil }
        // Looks again soon: a job may be begun, or the lead be left, by another worker.
        guard let job else { return .seconds(5) }
        let outstanding = try await recordEnds(of: job, at: now)
        if let until = backoff.withLock({ $0.until }), now < until { return .seconds(until.timeIntervalSince(now)) }
        // Refilled when half of them have ended, so that many ends share one run.
        let most = backoff.withLock(\.needsOperator) ? 1 : Self.maximumOutstanding
        guard outstanding <= most / 2 else { return .seconds(60) }
        let (service, left) = try await remainingCalls(for: job)
        let budget = left - outstanding
        guard budget > 0 else {
            // An outstanding request wakes the loop when it ends.
            guard outstanding == 0 else { return .seconds(60) }
            return pause(until: try await quota.reopeningTime(of: service), .quotaExhausted)
        }
        let items = try await selectItems(min(most - outstanding, budget), of: job, at: now)
        if !items.isEmpty {
            try await request(items, of: job)
            return .seconds(60)
        }
        guard outstanding == 0 else { return .seconds(60) }
        return try await finish(job)
    }

    /// Writes as long as this worker leads: one that was frozen must not count what the next leader has counted.
    private func lead<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await store.write { transaction in
            guard try WorkerRegistry(transaction).isLeader() else { throw LostLeadError() }
            return try body(transaction)
        }
    }

    /// Records the requests that have ended, and returns the number of those that have not.
    private func recordEnds(of job: BackfillJob, at now: Date) async throws -> Int {
        let (waiting, failures, done) = try await lead { transaction in
            let backfills = BackfillStore(transaction)
            let requested = try backfills.items(of: job.number, in: .requested, limit: Self.maximumOutstanding)
            var ended: [BackfillStore.State: [BackfillJob.Item]] = [:]
            var failures: [(code: ContractError.Code, needsOperator: Bool)] = []
            for item in requested {
                let id = item.id(in: job.number)
                switch try result(of: item, id, in: transaction) {
                case .waiting: continue
                case .done: ended[.done, default: []].append(item)
                case .failed(let code, let needsOperator):
                    // Another request may succeed: a key or an address may have been corrected.
                    let isRepeatable = needsOperator || code != .notPublished && code.isRetryable
                    if isRepeatable { failures.append((code, needsOperator)) }
                    ended[isRepeatable ? .waiting : .failed, default: []].append(item)
                }
            }
            for (state, items) in ended {
                try backfills.move(items, of: job.number, to: state)
            }
            return (requested.count - ended.values.reduce(0) { $0 + $1.count }, failures, ended[.done]?.count ?? 0)
        }
        if done > 0 { backoff.withLock { $0 = BackoffState() } }
        // An exhausted quota shows in its balance and needs no pause here.
        if let (code, needsOperator) = failures.first(where: { $0.code != .quotaExhausted }) {
            let count = backoff.withLock { backoff in
                backoff.failures += 1
                backoff.needsOperator = needsOperator
                return backoff.failures
            }
            let seconds = needsOperator ? 600 : min(Double(1 << min(count, 10)), 600)
            _ = pause(until: now + seconds, code)
        }
        return waiting
    }

    /// Returns how an item's request ended; one for a movie whose poster could not be fetched counts as failed.
    private func result(
        of item: BackfillJob.Item, _ id: RequestID?, in transaction: StoreTransaction
    ) throws -> RequestResult {
        let result = try RequestInbox(transaction).result(of: id)
        guard item.isMovie, result == .done, let id, let done = try transaction.latest(.request(.done, id)) else {
            return result
        }
        return try done.data(as: RequestDone.self).problems.first.map(RequestResult.init) ?? .done
    }

    private func pause(until time: Date, _ code: ContractError.Code) -> Duration {
        let (isNew, pause) = backoff.withLock { backoff in
            let isNew = backoff.code != code
            backoff.code = code
            backoff.until = time
            return (isNew, time.timeIntervalSince(runtime.wallClock.now()))
        }
        if isNew {
            runtime.logger.warning("the backfill pauses", [.code: code.rawValue, .after: Duration.seconds(pause)])
        }
        return .seconds(max(pause, 1))
    }

    /// Returns how many requests the quota allows, and the service that limits them. Movies come last and need a call for
    /// the poster, too.
    private func remainingCalls(for job: BackfillJob) async throws -> (service: String, left: Int) {
        let balances = try await quota.balances()
        let isAtMovies = try await store.read { try job.movies && !BackfillStore($0).hasUnlistedMovies(job) }
        let services = isAtMovies && hasPosters ? [Kobis.service, KakaoImageSearch.service] : [Kobis.service]
        let budgets = services.map { ($0, balances[$0]?.leftForBackfill ?? Self.maximumOutstanding) }
        return budgets.min { $0.1 < $1.1 } ?? (Kobis.service, Self.maximumOutstanding)
    }

    /// Returns the next items that need a request, and marks those before them that need none as done.
    private func selectItems(_ count: Int, of job: BackfillJob, at now: Date) async throws -> [BackfillJob.Item] {
        while true {
            let (items, needed) = try await lead { transaction in
                let backfills = BackfillStore(transaction)
                let items = try backfills.items(of: job.number, in: .waiting, limit: count)
                let complete = try items.filter { try backfills.isComplete($0, withPosters: hasPosters, at: now) }
                try backfills.move(complete, of: job.number, to: .done)
                return (items, items.filter { !complete.contains($0) })
            }
            if items.isEmpty || !needed.isEmpty { return needed }
        }
    }

    private func request(_ items: [BackfillJob.Item], of job: BackfillJob) async throws {
        backoff.withLock { $0.until = nil }
        let requests = items.compactMap { item -> (item: BackfillJob.Item, intake: IntakeItem)? in
            guard let target = item.target(withPosters: hasPosters) else { return nil }
            let request = Request(target, id: item.id(in: job.number), priority: .backfill)
            return IntakeItem(request, origin: .backfill).map { (item, $0) }
        }
        let results = await intake.accept(requests.map(\.intake))
        // After they are in the inbox: if a crash comes between, the same ids are accepted as duplicates the next time.
        try await lead { transaction in
            let accepted = zip(requests, results).filter { (try? $1.get()) != nil }.map(\.0.item)
            try BackfillStore(transaction).move(accepted, of: job.number, to: .requested)
        }
    }

    /// Adds the movies of the charts if they are to be fetched and not added yet; otherwise ends the job.
    private func finish(_ job: BackfillJob) async throws -> Duration {
        if try await store.read({ try BackfillStore($0).hasUnlistedMovies(job) }) {
            let movies = try await unknownMovies(in: job.first...job.last)
            try await lead { try BackfillStore($0).add(movies, to: job) }
        } else {
            try await lead { try BackfillStore($0).end(job) }
            runtime.logger.info("a backfill is over", [.count: job.number])
        }
        return .zero
    }

    /// Returns the movies in the national charts of some days whose details or posters are unknown, by their codes.
    func unknownMovies(in days: ClosedRange<KoreanDate>) async throws -> [MovieCode] {
        var movies: Set<MovieCode> = []
        var day = days.lowerBound
        // A hundred days at a time, so that other readers do not wait long.
        while day <= days.upperBound {
            let part = day...min(day + 99, days.upperBound)
            movies.formUnion(try await store.read { try BackfillStore($0).movies(in: part) })
            day = part.upperBound + 1
        }
        return try await store.read { [movies] transaction in
            try movies.filter { try !BackfillStore(transaction).isKnown($0, withPosters: hasPosters) }
        }.sorted { $0.description < $1.description }
    }
}

// MARK: - The backfill of a new log

/// The backfill of a new log: the days before those that live requests fetch, because alerts count days.
///
/// Its charts have `priority` `backfill`, so they fire nothing. The schedule waits until it is over or pauses: then the
/// charts that it fetches live find the days that their alerts count.
extension BackfillService {
    /// Begins the job if the log has no chart and no job was ever begun: once in the life of a log.
    ///
    /// - Parameters:
    ///   - days: how many days before yesterday the history has; 0 for none.
    ///   - liveDays: how many days up to yesterday are left to live requests.
    func beginInitialJob(days: Int, liveDays: Int) async throws {
        let yesterday = KoreanDate.yesterday(at: runtime.wallClock.now())
        let (first, last) = (max(yesterday - days, .firstChart), yesterday - liveDays)
        guard first <= last else { return }
        let number = try await store.write { transaction -> Int? in
            let jobs = BackfillStore(transaction)
            guard try jobs.isEmpty(), try Freshness(transaction).newestChart() == nil else { return nil }
            return try jobs.begin(first...last, isInitial: true)
        }
        guard number != nil else { return }
        runtime.logger.info(
            "the log is new; the days before are fetched first, because alerts count days",
            [.date: "\(first)..\(last)", .count: last - first + 1])
    }

    /// Whether the job of a new log is being worked on; one that pauses keeps nobody waiting.
    func isInitialJobRunning() async throws -> Bool {
        if let until = backoff.withLock({ $0.until }), runtime.wallClock.now() < until { return false }
        return try await store.read { try BackfillStore($0).current()?.isInitial ?? false }
    }
}

/// Another worker leads now.
private struct LostLeadError: Error, CustomStringConvertible {
    var description: String { "another worker has taken it over" }
}
