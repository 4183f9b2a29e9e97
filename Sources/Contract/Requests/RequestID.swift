import FoundationEssentials
public import JSONCoding

/// The id of a request, chosen by its client: 1 to 128 printable ASCII characters without blanks.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The beginning of the ids that a board gives to requests of visitors who are not its operator.
    public static let visitorPrefix = "board-visitor-"

    /// The id as the client wrote it.
    public let description: String

    /// Makes an id, or nil if the text is not one.
    public init?(_ text: some StringProtocol) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        description = String(text)
    }

    /// Makes an id from a request's field `id`.
    ///
    /// - Throws: A `badRequest` error if the text is not an id.
    init(checking text: String) throws(ContractError) {
        guard let id = RequestID(text) else {
            throw ContractError(
                .badRequest, "id must have 1 to 128 printable ASCII characters without blanks", field: "id")
        }
        self = id
    }

    private init(unchecked text: String) {
        description = text
    }

    /// Returns a random UUID, for a request without an id.
    public static func random() -> RequestID {
        RequestID(unchecked: UUID().uuidString.lowercased())
    }
}

extension RequestID: StringRepresentable {
    /// The noun in error texts.
    public static let noun = "request id: 1 to 128 printable ASCII characters without blanks"
}
