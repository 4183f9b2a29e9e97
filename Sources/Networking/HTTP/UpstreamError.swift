/// The reason why a request to a service did not return a usable value.
///
/// Errors that leave ``HTTPClient`` hold no secret: those of the request are redacted in each text.
public struct UpstreamError: Error, Hashable, Sendable {
    /// The kind of a failure. The raw value is short and fixed, and is used as a metric label.
    public enum Kind: String, Sendable, CaseIterable {
        /// The request is malformed for the service, or cannot be sent at all.
        case badRequest
        /// The service has not published the data yet.
        case notPublished
        /// The requested item does not exist.
        case notFound
        /// The service rejects the API key.
        case unauthorized
        /// The request is not permitted, or its address is not a permitted one.
        case forbidden
        /// The local or the service's quota is used up, or requests come too fast.
        case quotaExhausted
        /// No connection, a broken connection, or a failure on the service's side.
        case unavailable
        /// No response before the timeout.
        case timeout
        /// The service is under maintenance.
        case maintenance
        /// What answers at the address is not the service, or cannot prove it: a redirect, a certificate that is not
        /// accepted, nothing under this path, a proxy. Somebody has to correct the configuration.
        case wrongAddress
        /// The response cannot be read as expected.
        case invalid
        /// The caller's task was cancelled, or the client was shut down.
        case cancelled
        /// The request was not sent because of an internal error of this program.
        case `internal`
    }

    /// The service's short constant name.
    public var service: String
    /// The kind of failure.
    public var kind: Kind
    /// Why the request failed, and the request at the end, for logs and clients.
    public var message: String
    /// The HTTP status, if there was a response.
    public var status: Int?
    /// The service's own error code.
    public var code: String?
    /// The path of the field that could not be decoded.
    public var field: String?
    /// The time that the service asks clients to wait.
    public var retryAfter: Duration?

    /// Creates an error.
    public init(
        service: String, kind: Kind, message: String, status: Int? = nil, code: String? = nil, field: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.service = service
        self.kind = kind
        self.message = message
        self.status = status
        self.code = code
        self.field = field
        self.retryAfter = retryAfter
    }

    /// Whether a retry within the same request can succeed.
    public var isTransient: Bool {
        switch status {
        // A 4xx stays an error on retry, except 408 (request timeout), 425 (too early) and 429 (too many requests).
        case .some(let status) where (400...499).contains(status): [408, 425, 429].contains(status)
        default: [.unavailable, .timeout, .maintenance].contains(kind)
        }
    }
}

extension UpstreamError: CustomStringConvertible {
    /// All properties on one line.
    public var description: String {
        var details: [String] = []
        if let status { details.append("status \(status)") }
        if let code { details.append("code \(code)") }
        if let field { details.append("field \(field)") }
        if let retryAfter { details.append("retry after \(retryAfter)") }
        return "\(service) \(kind.rawValue): \(message)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}
