public import BoxOffice
import Concurrency
public import Contract
import FoundationEssentials
public import JSONCoding
import Messaging
import ServiceRuntime
import Storage

/// The fields of the command `backfill`, and their validation.
struct BackfillFields: Decodable {
    private var first: String?
    private var last: String?
    var weeks: Bool?
    var movies: Bool?
    /// Whether all jobs shall end.
    var stop: Bool?

    /// Parses a command's body, a JSON object; unknown fields are ignored.
    init(_ command: Command) throws(ContractError) {
        let body = try RequestFrames(command.frames).body
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(body.utf8))
        } catch DecodingError.typeMismatch(_, let context) {
            let field = context.codingPath.first?.stringValue
            throw ContractError(.badRequest, "the body's \(field ?? "value") has the wrong type", field: field)
        } catch {
            throw ContractError(.badRequest, "the body is not a JSON object", field: "body")
        }
    }

    /// Returns the days to fetch.
    ///
    /// - Throws: `badRequest` or `dateOutOfRange`.
    func days(at now: Date) throws(ContractError) -> ClosedRange<KoreanDate> {
        let oldest = try day(first, "first", at: now)
        let newest = try day(last, "last", at: now)
        guard oldest <= newest else { throw ContractError(.badRequest, "first comes after last", field: "first") }
        return oldest...newest
    }

    private func day(_ text: String?, _ field: String, at now: Date) throws(ContractError) -> KoreanDate {
        let yesterday = KoreanDate.yesterday(at: now)
        guard let text, let day = text == "yesterday" ? yesterday : KoreanDate(text) else {
            throw ContractError(.badRequest, "\(field) must be YYYY-MM-DD, YYYYMMDD or yesterday", field: field)
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw ContractError(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: field)
        }
        return day
    }
}

extension BackfillService {
    /// Answers the command `backfill`: creates a job, or ends all jobs.
    func answer(_ command: Command) async -> Reply {
        do {
            let fields = try BackfillFields(command)
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
        } catch {
            return .refused(ContractError(error, "the backfill could not be stored: \(error)"))
        }
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
