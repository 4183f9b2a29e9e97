internal import Text

/// A request line's target taken apart: the path and the query, both decoded.
struct RequestTarget {
    let path: String
    let query: [(name: String, value: String)]

    /// Reads `/path?name=value&…`; nil if it is no such thing.
    ///
    /// The query is read as HTML forms write it: `+` is a blank (a plus is `%2B`), names may repeat, their order is
    /// kept, and a name without `=` has an empty value. In the path `+` is a plus. What is no UTF-8 once decoded, a `%`
    /// without two hexadecimal digits, and `%00` are refused rather than guessed at.
    init?(_ target: some StringProtocol) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.first == UInt8(ascii: "/"), let path = Self.decode(first) else {
            return nil
        }
        var query: [(name: String, value: String)] = []
        for item in parts.dropFirst().first?.split(separator: UInt8(ascii: "&")) ?? [] {
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(pair[0], plusIsBlank: true) else { return nil }
            guard let value = pair.count == 2 ? Self.decode(pair[1], plusIsBlank: true) : "" else { return nil }
            query.append((name, value))
        }
        self.path = path
        self.query = query
    }

    private static func decode(_ text: some Sequence<UInt8>, plusIsBlank: Bool = false) -> String? {
        guard let bytes = text.percentDecoded(plusIsBlank: plusIsBlank), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
