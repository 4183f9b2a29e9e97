internal import Text

/// A request with its whole body.
public struct WebRequest: Sendable {
    /// The method as sent, except that `HEAD` becomes `GET`: the server omits the body of the response itself.
    public var method: String
    /// The decoded path; begins with `/`.
    public var path: String
    /// The decoded query in order; a name may repeat. `+` is a blank.
    public var query: [(name: String, value: String)]
    /// The header fields in order; a name may repeat.
    public var headers: [(name: String, value: String)]
    /// The body's bytes, as sent.
    public var body: [UInt8]
    /// The address of who sent the request; nil for a request that no server has received.
    public var client: ClientAddress?

    /// Creates a request, for example to call a handler without a server.
    public init(
        method: String = "GET", path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8] = [], client: ClientAddress? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.client = client
    }

    /// Returns the first value of `name` in the query; nil if there is none.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// Returns the first value of the header field `name`, compared without case; nil if there is none.
    public func header(_ name: String) -> String? {
        headers.first { equalIgnoringCase($0.name, name) }?.value
    }
}

/// Whether two field names are equal: HTTP compares ASCII letters without case.
func equalIgnoringCase(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
}

// MARK: - Request target

struct RequestTarget {
    /// The host and port of a target in absolute form, which hold instead of those in `Host` (RFC 9112, 3.2.2).
    let authority: String?
    let path: String
    let query: [(name: String, value: String)]

    /// Parses `/path?name=value&…`, or the same after `http://host`, as a proxy sends it; nil if the text is not a valid
    /// target.
    ///
    /// The query is read like an HTML form: `+` is a blank (a plus is `%2B`), names may repeat, their order is kept,
    /// and a name without `=` has an empty value. In the path `+` is a plus. Text that is not UTF-8 once decoded, a `%`
    /// without two hexadecimal digits, and `%00` are rejected.
    init?(_ target: String) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let (authority, rawPath) = Self.split(first), let path = Self.decode(rawPath)
        else { return nil }
        var query: [(name: String, value: String)] = []
        for item in parts.dropFirst().first?.split(separator: UInt8(ascii: "&")) ?? [] {
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(pair[0], plusIsBlank: true) else { return nil }
            guard let value = pair.count == 2 ? Self.decode(pair[1], plusIsBlank: true) : "" else { return nil }
            query.append((name, value))
        }
        self.authority = authority
        self.path = path
        self.query = query
    }

    func withHost(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        guard let authority else { return fields }
        return [("Host", authority)] + fields.filter { !equalIgnoringCase($0.name, "Host") }
    }

    private static func split(_ target: Substring.UTF8View) -> (authority: String?, path: Substring.UTF8View)? {
        if target.first == UInt8(ascii: "/") { return (nil, target) }
        for scheme in ["http://", "https://"] {
            let length = scheme.utf8.count
            guard target.prefix(length).map(\.asciiLowercased).elementsEqual(scheme.utf8) else { continue }
            let rest = target.dropFirst(length)
            let path = rest.drop { $0 != UInt8(ascii: "/") }
            guard path.startIndex > rest.startIndex else { return nil }
            return (String(Substring(rest[..<path.startIndex])), path.isEmpty ? Substring("/").utf8 : path)
        }
        return nil
    }

    private static func decode(_ text: some Sequence<UInt8>, plusIsBlank: Bool = false) -> String? {
        guard let bytes = text.percentDecoded(plusIsBlank: plusIsBlank), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
