import FoundationEssentials
public import JSONCoding
import SQLite

/// The name of a request, chosen by its client: 1 to 128 printable ASCII characters without blanks.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The id as the client wrote it.
    public let description: String

    /// Makes an id, or nothing if the text is not one.
    public init?(_ text: some StringProtocol) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        description = String(text)
    }

    /// Makes an id of a request's field `id`, or says what is wrong with it.
    init(checking text: String) throws(ContractError) {
        guard let id = RequestID(text) else {
            throw ContractError(.badRequest, "id has 1 to 128 printable ASCII characters without blanks", field: "id")
        }
        self = id
    }

    private init(unchecked text: String) {
        description = text
    }

    /// A new id, a random UUID, for a client that chose none.
    public static func random() -> RequestID {
        RequestID(unchecked: UUID().uuidString.lowercased())
    }
}

extension RequestID: StringRepresentable {
    /// What it is called where a text is none.
    public static let noun = "request id: 1 to 128 printable ASCII characters without blanks"
}
