import BoxOffice
import Concurrency
import Contract
import Operations
import SQLite

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
        let yesterday = KoreanDate.yesterday(at: wallClock.now())
        let (first, last) = (max(yesterday - days, .firstChart), yesterday - liveDays)
        guard first <= last else { return }
        let number = try await store.write { transaction -> Int? in
            let jobs = BackfillStore(transaction.connection)
            guard try jobs.isEmpty(), try ScheduleStore(transaction).newestChart() == nil else { return nil }
            return try jobs.begin(first...last, isInitial: true)
        }
        guard number != nil else { return }
        logger.info(
            "the log is new; the days before are fetched first, because alerts count days",
            [.date: "\(first)..\(last)", .count: last - first + 1])
    }

    /// Whether the job of a new log is being worked on; one that pauses keeps nobody waiting.
    func isInitialJobRunning() async throws -> Bool {
        if let until = backoff.withLock({ $0.until }), wallClock.now() < until { return false }
        return try await store.database.read { try BackfillStore($0).current()?.isInitial ?? false }
    }
}
