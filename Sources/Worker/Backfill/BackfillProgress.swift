public import BoxOffice
import Concurrency
public import Contract
import FoundationEssentials
import Operations
import SQLite

/// How far a backfill has come, for those who watch it.
public struct BackfillProgress: Hashable, Sendable, Codable {
    /// Its number.
    public let number: Int
    /// The oldest day.
    public let first: KoreanDate
    /// The newest day.
    public let last: KoreanDate
    /// Whether nothing will be asked for any more.
    public let isOver: Bool
    /// How many charts and films it has.
    public let total: Int
    /// How many of them are in the log.
    public let done: Int
    /// How many of them are not to be had.
    public let failed: Int
    /// Why it rests, if it does.
    @Nullable public var rests: ContractError.Code? = nil
    /// Until when it rests.
    @Nullable public var restsUntil: String? = nil
}

extension BackfillService {
    /// How far the present job has come, or the last one if there is none.
    func progress() async throws -> BackfillProgress? {
        let trouble = state.withLock { $0 }
        let isResting = trouble.until.map { clock.now() < $0 } ?? false
        return try await store.database.read { connection in
            guard let (job, isOver) = try BackfillStore.newest(in: connection) else { return nil }
            let counts = try BackfillStore.counts(of: job.number, in: connection)
            var progress = BackfillProgress(
                number: job.number, first: job.first, last: job.last, isOver: isOver,
                total: counts.values.reduce(0, +), done: counts[.done] ?? 0, failed: counts[.failed] ?? 0)
            if isResting, !isOver {
                progress.rests = trouble.code
                progress.restsUntil = trouble.until?.ISO8601Format()
            }
            return progress
        }
    }
}
