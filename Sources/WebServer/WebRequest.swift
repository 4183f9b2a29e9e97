internal import Text

/// A request that has arrived whole.
public struct WebRequest: Sendable {
    /// The method as sent, but `HEAD` is told as `GET`: the server leaves the body of the answer out itself.
    public var method: String
    /// The path, decoded; begins with `/`.
    public var path: String
    /// The query's names and values, decoded, in their order; a name may repeat. `+` is read as a blank.
    public var query: [(name: String, value: String)]
    /// The header's fields in their order; a name may repeat.
    public var headers: [(name: String, value: String)]
    /// The body, not decoded in any way.
    public var body: [UInt8]

    /// Makes a request, for example to call a handler without a server.
    public init(
        method: String = "GET", path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The first value of `name` in the query.
    public func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The first header field called `name`, in whatever case.
    public func header(_ name: String) -> String? {
        headers.first { equalIgnoringCase($0.name, name) }?.value
    }
}

/// Whether two field names are the same: HTTP compares their ASCII letters without case.
func equalIgnoringCase(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count
        && zip(one.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
}
