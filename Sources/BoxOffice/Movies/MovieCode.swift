public import JSONCoding

/// The Korean Film Council's code of a movie: eight characters, digits and capital letters (`20234675`, `2022B512`).
public struct MovieCode: Hashable, Sendable, CustomStringConvertible {
    /// The code as it is written.
    public let description: String

    /// Makes a code, or nil if the text is not one.
    public init?(_ text: some StringProtocol) {
        let isCode = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        guard isCode, text.utf8.count == 8 else { return nil }
        description = String(text)
    }
}

extension MovieCode: StringRepresentable {
    /// The noun in error texts.
    public static let noun = "movie code"
}
