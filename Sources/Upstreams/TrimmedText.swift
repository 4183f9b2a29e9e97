import Text

/// Text without surrounding white space, control characters and invisible marks; nil if nothing is left, or if it has
/// more bytes than an address may have.
struct TrimmedText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let clean = text.utf8.count <= Self.limit ? text.clean : ""
        value = clean.isEmpty ? nil : clean
    }

    private static let limit = 4_096
}
