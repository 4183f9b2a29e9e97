public import BoxOffice
import Concurrency
public import Contract
import FoundationEssentials
import ServiceRuntime
import Storage

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
        let isPaused = backoff.until.map { runtime.wallClock.now() < $0 } ?? false
        return try await store.read { transaction in
            let backfills = BackfillStore(transaction)
            guard let (job, isOver) = try backfills.newest() else { return nil }
            let counts = try backfills.counts(of: job.number)
            var progress = BackfillProgress(
                number: job.number, first: job.first, last: job.last, isInitial: job.isInitial, isOver: isOver,
                total: counts.values.reduce(0, +), done: counts[.done] ?? 0, failed: counts[.failed] ?? 0)
            if isPaused, !isOver {
                progress.rests = backoff.code
                progress.restsUntil = backoff.until?.ISO8601Format()
            }
            return progress
        }
    }
}
