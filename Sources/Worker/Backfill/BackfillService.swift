public import BoxOffice
import Concurrency
public import Contract
import EventStore
import FoundationEssentials
public import JSONCoding
import Messaging
import ServiceRuntime
import Storage
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

    struct BackoffState: Sendable {
        var failures = 0
        var code: ContractError.Code?
        var until: Date?
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

    private func recordEnds(of job: BackfillJob, at now: Date) async throws -> Int {
        let (waiting, done, failure) = try await store.write { transaction in
            let backfills = BackfillStore(transaction)
            var (waiting, done) = (0, 0)
            var failure: (code: ContractError.Code, needsOperator: Bool)?
            for item in try backfills.items(of: job.number, in: .requested, limit: Self.maximumOutstanding) {
                switch try result(of: item, item.id(in: job.number), in: transaction) {
                case .waiting: waiting += 1
                case .done:
                    done += 1
                    try backfills.move([item], of: job.number, to: .done)
                case .failed(let code, let needsOperator):
                    // Another request may succeed: a key or an address may have been corrected.
                    let isRepeatable = needsOperator || code != .notPublished && code.isRetryable
                    // An exhausted quota shows in its balance and needs no pause here.
                    if isRepeatable, failure == nil, code != .quotaExhausted { failure = (code, needsOperator) }
                    try backfills.move([item], of: job.number, to: isRepeatable ? .waiting : .failed)
                }
            }
            return (waiting, done, failure)
        }
        if done > 0 { backoff.withLock { $0 = BackoffState() } }
        if let (code, needsOperator) = failure {
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

    /// Returns how many requests the quota allows, and the service that limits them.
    private func remainingCalls(for job: BackfillJob) async throws -> (service: String, left: Int) {
        let balances = try await quota.balances()
        func left(_ service: String) -> Int { balances[service]?.leftForBackfill ?? Self.maximumOutstanding }
        let (kobis, kakao) = (left(Kobis.service), left(KakaoImageSearch.service))
        // A movie needs a call for the poster, too.
        return job.movies && hasPosters && kakao < kobis ? (KakaoImageSearch.service, kakao) : (Kobis.service, kobis)
    }

    /// Returns the next items that need a request, and marks those before them that need none as done.
    private func selectItems(_ count: Int, of job: BackfillJob, at now: Date) async throws -> [BackfillJob.Item] {
        while true {
            let (items, needed) = try await store.write { transaction in
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
        try await store.write { transaction in
            let accepted = zip(requests, results).filter { (try? $1.get()) != nil }.map(\.0.item)
            try BackfillStore(transaction).move(accepted, of: job.number, to: .requested)
        }
    }

    /// Adds the movies of the charts if they are to be fetched and not added yet; otherwise ends the job.
    private func finish(_ job: BackfillJob) async throws -> Duration {
        if try await store.read({ try BackfillStore($0).hasUnlistedMovies(job) }) {
            let movies = try await store.read {
                try BackfillStore($0).unknownMovies(in: job.first...job.last, withPosters: hasPosters)
            }
            try await store.write { try BackfillStore($0).add(movies, to: job) }
        } else {
            try await store.write { try BackfillStore($0).end(job) }
            runtime.logger.info("a backfill is over", [.count: job.number])
        }
        return .zero
    }
}

// MARK: - The backfill of a new log

/// The backfill of a new log: the days before those that live requests fetch, because alerts count days. Its charts
/// have `priority` `backfill`, so they fire nothing. The schedule waits until it is over or pauses: then the charts
/// that it fetches live find the days that their alerts count.
extension BackfillService {
    /// Begins the job if the log has no chart and no job was ever begun: once in the life of a log. It has `days` days
    /// before yesterday, less those up to yesterday that are left to live requests.
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

// MARK: - The command

private struct BackfillFields: Decodable {
    var first: String?
    var last: String?
    var weeks: Bool?
    var movies: Bool?
    var stop: Bool?
}

extension BackfillService {
    /// Answers the command `backfill`: creates a job, or ends all jobs.
    func answer(_ command: Command) async throws -> Reply {
        let fields = try RequestBody.fields(RequestFrames(command.frames).body, as: BackfillFields.self)
        if fields.stop == true {
            try await store.write { try BackfillStore($0).stop() }
            return .accepted(Self.receipt("all"))
        }
        let now = runtime.wallClock.now()
        let oldest = try KoreanDate(ofChart: fields.first, field: "first", at: now)
        let newest = try KoreanDate(ofChart: fields.last, field: "last", at: now)
        guard oldest <= newest else { throw ContractError(.badRequest, "first comes after last", field: "first") }
        let number = try await store.write { transaction in
            try BackfillStore(transaction).begin(
                oldest...newest, weeks: fields.weeks == true, movies: fields.movies == true)
        }
        backoff.withLock { $0 = BackoffState() }
        wakeSignal.signal()
        return .accepted(Self.receipt("\(number)"))
    }

    private static func receipt(_ job: String) -> RequestID {
        RequestID("\(prefix)\(job)") ?? .random()
    }
}

// MARK: - Progress

/// The progress of a backfill job, as `status` shows it.
public struct BackfillProgress: Hashable, Sendable, Codable {
    /// The job's number.
    public let number: Int
    /// The oldest day.
    public let first: KoreanDate
    /// The newest day.
    public let last: KoreanDate
    /// Whether the worker began the job by itself, because its log was new.
    public let isInitial: Bool
    /// Whether the job makes no more requests.
    public let isOver: Bool
    /// The number of its charts and movies.
    public let total: Int
    /// How many of these are in the log.
    public let done: Int
    /// How many of these cannot be fetched.
    public let failed: Int
    /// Why the backfill pauses, or nil if it does not.
    @Nullable public var rests: ContractError.Code? = nil
    /// Until when it pauses, in ISO 8601.
    @Nullable public var restsUntil: String? = nil
}

extension BackfillService {
    /// Returns the progress of the present job, or of the last one; nil if there was none.
    func progress() async throws -> BackfillProgress? {
        let backoff = backoff.withLock { $0 }
        return try await store.read { transaction in
            let backfills = BackfillStore(transaction)
            guard let job = try backfills.newest() else { return nil }
            let counts = try backfills.counts(of: job.number)
            let isPaused = !job.isOver && backoff.until.map { runtime.wallClock.now() < $0 } ?? false
            return BackfillProgress(
                number: job.number, first: job.first, last: job.last, isInitial: job.isInitial, isOver: job.isOver,
                total: counts.values.reduce(0, +), done: counts[.done] ?? 0, failed: counts[.failed] ?? 0,
                rests: isPaused ? backoff.code : nil, restsUntil: isPaused ? backoff.until?.ISO8601Format() : nil)
        }
    }
}
