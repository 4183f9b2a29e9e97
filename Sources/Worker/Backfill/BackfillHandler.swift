import BoxOffice
import Concurrency
import Contract
import FoundationEssentials
import Messaging
import ServiceRuntime
import Storage

/// The fields of the command `backfill`, and their validation.
struct BackfillFields: Decodable {
    private var first: String?
    private var last: String?
    private var weeks: Bool?
    private var movies: Bool?
    private var stop: Bool?

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

    /// Whether all jobs shall end.
    var isStop: Bool { stop ?? false }
    /// Whether weekly charts shall be fetched.
    var wantsWeeks: Bool { weeks ?? false }
    /// Whether movies' details shall be fetched.
    var wantsMovies: Bool { movies ?? false }

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
            if fields.isStop {
                try await store.write { try BackfillStore($0).stop() }
                return .accepted(Self.receipt("all"))
            }
            let days = try fields.days(at: runtime.wallClock.now())
            let number = try await store.write { transaction in
                try BackfillStore(transaction).begin(days, weeks: fields.wantsWeeks, movies: fields.wantsMovies)
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
