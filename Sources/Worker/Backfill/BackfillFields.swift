import BoxOffice
import Contract
import FoundationEssentials
import Messaging

/// The fields of the command `backfill`, as they stand in its body, and the checks on them.
struct BackfillFields: Decodable {
    private var first: String?
    private var last: String?
    private var weeks: Bool?
    private var movies: Bool?
    private var stop: Bool?

    /// Reads a command's body, a JSON object; fields that it does not know do not matter.
    init(_ command: Command) throws(ContractError) {
        let body = try RequestFrames(command.frames).body
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(body.utf8))
        } catch DecodingError.typeMismatch(_, let context) {
            let field = context.codingPath.first?.stringValue
            throw ContractError(.badRequest, "the body's \(field ?? "value") has the wrong type", field: field)
        } catch {
            throw ContractError(.badRequest, "the body is no JSON object", field: "body")
        }
    }

    /// Whether all jobs are to end.
    var isStop: Bool { stop ?? false }
    /// Whether weekly charts are wanted.
    var wantsWeeks: Bool { weeks ?? false }
    /// Whether films' facts are wanted.
    var wantsMovies: Bool { movies ?? false }

    /// The days that are wanted.
    func days(at now: Date) throws(ContractError) -> ClosedRange<KoreanDate> {
        let oldest = try day(first, "first", at: now)
        let newest = try day(last, "last", at: now)
        guard oldest <= newest else { throw ContractError(.badRequest, "first comes after last", field: "first") }
        return oldest...newest
    }

    private func day(_ text: String?, _ field: String, at now: Date) throws(ContractError) -> KoreanDate {
        let yesterday = KoreanDate.yesterday(at: now)
        guard let text, let day = text == "yesterday" ? yesterday : KoreanDate(text) else {
            throw ContractError(.badRequest, "\(field) is YYYY-MM-DD, YYYYMMDD or yesterday", field: field)
        }
        guard (KoreanDate.firstChart...yesterday).contains(day) else {
            throw ContractError(
                .dateOutOfRange, "charts reach from \(KoreanDate.firstChart) to \(yesterday), yesterday in Korea",
                field: field)
        }
        return day
    }
}
