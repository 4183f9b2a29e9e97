import Text

/// Text without surrounding white space, control characters and invisible marks; nil if nothing is left.
struct TrimmedText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self).clean
        value = text.isEmpty ? nil : text
    }
}
