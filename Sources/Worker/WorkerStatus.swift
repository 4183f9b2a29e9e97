import Concurrency
import Contract
import EventStore
import FoundationEssentials
import JSONCoding
import ServiceRuntime
import Storage

struct WorkerStatus: Sendable, Encodable {
    struct Queue: Sendable, Encodable {
        let live: Int
        let backfill: Int
    }

    let version: String
    let epoch: String
    let positions: [Stream: SequenceNumber]
    let queue: Queue
    let quota: [String: QuotaLedger.Balance]
    /// The next scheduled requests, soonest first; empty if the schedule is turned off.
    var schedule: [ScheduleService.NextRun] = []
    /// The progress of the present or last backfill; nil if there was none.
    @Nullable var backfill: BackfillProgress? = nil
    /// The ids of requests that failed because the worker died with each try, newest first, at most 20.
    var setAside: [RequestID] = []
    let uptime: Int
    /// The process that replies; nil unless others may share its database.
    var name: String? = nil
    /// The workers that share the database; nil unless others may.
    var workers: [SharingWorker]? = nil
}

/// Makes the reply to `status`. A class, because each copy of a struct of services retains every one of them, and each
/// status makes copies.
final class StatusReporter: Sendable {
    private let store: WorkerStore
    private let queue: RequestQueue
    private let quota: QuotaLedger
    private let schedule: ScheduleService?
    private let backfill: BackfillService
    private let runtime: Runtime
    private let uptime: Stopwatch
    private let cache = WorkerStatusCache()

    /// Makes the reporter of a worker that starts now; `schedule` is nil if it is turned off.
    init(
        store: WorkerStore, queue: RequestQueue, quota: QuotaLedger, schedule: ScheduleService?,
        backfill: BackfillService, runtime: Runtime
    ) {
        self.store = store
        self.queue = queue
        self.quota = quota
        self.schedule = schedule
        self.backfill = backfill
        self.runtime = runtime
        uptime = Stopwatch(runtime.clock)
    }

    /// Returns the reply; it is made anew only if something in it may have changed.
    func reply() async throws -> Reply {
        let lengths = queue.lengths
        let version = (
            commits: store.database.commitCount, live: lengths.live, backfill: lengths.backfill,
            second: Int(runtime.wallClock.now().timeIntervalSince1970), uptime: uptimeSeconds
        )
        return try await cache.reply(at: version, make: status)
    }

    private func status() async throws -> WorkerStatus {
        let lengths = queue.lengths
        let isShared = store.database.isShared
        let (epoch, positions, setAside, workers) = try await store.read { transaction in
            (
                transaction.log.epoch, try transaction.log.positions(in: transaction.connection),
                try RequestInbox(transaction).setAside(), isShared ? try WorkerRegistry(transaction).workers() : nil
            )
        }
        return WorkerStatus(
            version: version, epoch: epoch, positions: positions,
            queue: WorkerStatus.Queue(live: lengths.live, backfill: lengths.backfill),
            quota: try await quota.balances(), schedule: try await schedule?.nextRuns() ?? [],
            backfill: try await backfill.progress(), setAside: setAside, uptime: uptimeSeconds,
            name: isShared ? processName : nil, workers: workers)
    }

    private var uptimeSeconds: Int { Int(uptime.elapsed.components.seconds) }
}

/// Keeps the reply to `status` until something that it shows may have changed: a status takes dozens of queries, and
/// clients and pages ask for it again and again.
struct WorkerStatusCache: Sendable {
    /// What a status depends on; the second of the day and those since the start are two clocks'.
    typealias Version = (commits: Int, live: Int, backfill: Int, second: Int, uptime: Int)

    private let cached = Locked<(version: Version, reply: Reply)?>(nil)

    /// Returns the reply that was made at `version`, the one now, or makes it.
    func reply(at version: Version, make: () async throws -> WorkerStatus) async throws -> Reply {
        if let cached = cached.withLock({ $0 }), cached.version == version { return cached.reply }
        let reply = Reply.status(try await make())
        cached.withLock { $0 = (version, reply) }
        return reply
    }
}
