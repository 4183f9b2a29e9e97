public import FoundationEssentials

/// What came back: any status, the whole body.
public struct HTTPResponse: Sendable {
    /// The status of the last answer.
    public let status: Int
    /// The headers of the last answer, in the order they came.
    public let headers: [HTTPField]
    /// The body, unpacked.
    public let body: Data
    /// How long the upstream asks to be left alone.
    public internal(set) var retryAfter: Duration?

    /// The first value of a header, whatever the case of its name.
    public subscript(name: String) -> String? {
        headers.first { $0.isNamed(name) }?.value
    }

    /// Makes a response.
    public init(
        status: Int = 200, headers: [HTTPField] = [], body: Data = Data(), retryAfter: Duration? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.retryAfter = retryAfter
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// The status and the size; the body may hold anything and is not shown.
    public var description: String {
        "\(status), \(body.count) bytes"
    }
}
