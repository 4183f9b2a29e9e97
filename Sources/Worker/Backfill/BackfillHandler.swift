public import BoxOffice
import Concurrency
public import Contract
import FoundationEssentials
public import JSONCoding
import Messaging
import ServiceRuntime
import Storage

/// The fields of the command `backfill`; unknown ones are ignored.
struct BackfillFields: Decodable {
    private var first: String?
    private var last: String?
    var weeks: Bool?
    var movies: Bool?
    /// Whether all jobs shall end.
    var stop: Bool?

    /// Returns the days to fetch.
    ///
    /// - Throws: `badRequest` or `dateOutOfRange`.
    func days(at now: Date) throws(ContractError) -> ClosedRange<KoreanDate> {
        let oldest = try KoreanDate(ofChart: first, field: "first", at: now)
        let newest = try KoreanDate(ofChart: last, field: "last", at: now)
        guard oldest <= newest else { throw ContractError(.badRequest, "first comes after last", field: "first") }
        return oldest...newest
    }
}

extension BackfillService {
    /// Answers the command `backfill`: creates a job, or ends all jobs.
    func answer(_ command: Command) async throws -> Reply {
        let fields = try RequestBody.fields(RequestFrames(command.frames).body, as: BackfillFields.self)
        if fields.stop == true {
            try await store.write { try BackfillStore($0).stop() }
            return .accepted(Self.receipt("all"))
        }
        let days = try fields.days(at: runtime.wallClock.now())
        let number = try await store.write { transaction in
            try BackfillStore(transaction).begin(days, weeks: fields.weeks == true, movies: fields.movies == true)
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
