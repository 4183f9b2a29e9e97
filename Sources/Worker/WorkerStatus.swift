import BoxOffice
import Concurrency
import Contract

/// What the worker says of itself when it is asked.
struct WorkerStatus: Sendable, Encodable {
    /// How many requests wait.
    struct Queue: Sendable, Encodable {
        let live: Int
        let backfill: Int
    }

    let version: String
    let epoch: String
    let positions: [Stream: SequenceNumber]
    let queue: Queue
    let quota: [String: QuotaLedger.Balance]
    /// What the worker asks for next by itself, soonest first; nothing where it does not.
    var schedule: [ScheduleService.NextRun] = []
    /// How far the backfill has come, or the last one; nil if there was none.
    @Nullable var backfill: BackfillProgress? = nil
    /// Seconds since the start.
    let uptime: Int
}

/// Keeps the reply to `status` until something that it shows has changed.
///
/// To make one takes dozens of queries, and clients and pages ask for it again and again.
struct WorkerStatusCache: Sendable {
    /// What a status depends on: everything that it shows is in the database, in the queue, or follows from a clock.
    struct Version: Hashable, Sendable {
        /// The commits of the database since it was opened.
        let commits: Int
        /// The live requests that wait.
        let live: Int
        /// The backfill requests that wait.
        let backfill: Int
        /// The wall clock's second.
        let second: Int
        /// Seconds since the start.
        let uptime: Int
    }

    private let kept = Locked<(version: Version, reply: Reply)?>(nil)

    /// Returns the reply that was made at `version`, or else makes it.
    ///
    /// - Parameters:
    ///   - version: The version now. What changes while the status is made gives the next call another version.
    ///   - make: Makes the status.
    func reply(at version: Version, make: () async throws -> WorkerStatus) async throws -> Reply {
        if let kept = kept.withLock({ $0 }), kept.version == version { return kept.reply }
        let reply = Reply.status(try await make())
        kept.withLock { $0 = (version, reply) }
        return reply
    }
}
