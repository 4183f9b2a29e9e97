import FoundationEssentials

/// The fields of `replay` and `latest` as they stand in the command's body, and the checks on them.
public struct PageFields: Decodable, Sendable {
    /// How many events an answer may be asked to have.
    public static let limits = 1...5_000

    private var stream: String?
    private var after: String?
    private var topic: String?
    /// Read as any number, so that one that is not whole is told from what is no number.
    private var limit: Double?

    /// Reads a command's body: a JSON object, or nothing. Fields that it does not know do not matter.
    public init(frames: [[UInt8]]) throws(ContractError) {
        let body = try RequestFrames(frames).body
        do {
            self = try JSONDecoder().decode(Self.self, from: Data((body.isEmpty ? "{}" : body).utf8))
        } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
            guard let field = context.codingPath.first?.stringValue else {
                throw ContractError(.badRequest, "the body is no JSON object", field: "body")
            }
            throw ContractError(.badRequest, "the body's \(field) has the wrong type", field: field)
        } catch {
            throw ContractError(.badRequest, "the body is no JSON object", field: "body")
        }
    }

    /// The stream to replay.
    public func knownStream() throws(ContractError) -> Stream {
        guard let stream else { throw ContractError(.badRequest, "stream is needed", field: "stream") }
        guard let known = Stream(rawValue: stream) else {
            let names = Stream.allCases.map(\.rawValue).joined(separator: ", ")
            throw ContractError(.badRequest, "stream is one of \(names)", field: "stream")
        }
        return known
    }

    /// The place after which to replay.
    public func place() throws(ContractError) -> SequenceNumber {
        guard let after, !after.isEmpty else { return .zero }
        guard let place = SequenceNumber(after) else {
            throw ContractError(.badRequest, "after is a sequence of sixteen digits, or empty", field: "after")
        }
        return place
    }

    /// The topic after which to go on; any text will do, since topics are only compared with it.
    public var lastTopic: String { after ?? "" }

    /// What topics begin with; empty for all.
    public var prefix: String { topic ?? "" }

    /// How many events to answer with.
    public func count() throws(ContractError) -> Int {
        guard let limit else { return 500 }
        guard let count = Int(exactly: limit), Self.limits.contains(count) else {
            throw ContractError(
                .badRequest, "limit is a whole number from 1 to \(Self.limits.upperBound)", field: "limit")
        }
        return count
    }
}
