/// Text without the blanks, tabs and no-break spaces around it, and without control characters; nil if nothing else is
/// there.
struct TrimmedText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self).clean
        value = text.isEmpty ? nil : text
    }
}
