/// Why a service gave no answer that can be used.
///
/// Errors that leave ``HTTPClient`` hold no secret: those of the request are redacted in each text.
public struct UpstreamError: Error, Hashable, Sendable {
    /// What kind of failure it is; the raw value is short and fixed, fit for metrics.
    public enum Kind: String, Sendable, CaseIterable {
        /// The request makes no sense to the service, or can not be sent at all.
        case badRequest
        /// There is nothing yet.
        case notPublished
        /// There is no such thing.
        case notFound
        /// The service refuses our key.
        case unauthorized
        /// We may not do this, or the address is not one to go to.
        case forbidden
        /// The quota, ours or theirs, is used up, or we ask too fast.
        case quotaExhausted
        /// No connection, a broken one, or a failure on their side.
        case unavailable
        /// No answer in time.
        case timeout
        /// The service says that it is being repaired.
        case maintenance
        /// The answer is not what it should be.
        case invalid
        /// The caller no longer wants it, or the client was shut down.
        case cancelled
        /// It was not asked, by a fault of ours.
        case `internal`
    }

    /// The service asked.
    public var service: String
    /// What kind of failure it is.
    public var kind: Kind
    /// What was asked, of whom, and why it failed, for the log.
    public var message: String
    /// The HTTP status, if there was an answer.
    public var status: Int?
    /// The service's own code for it.
    public var code: String?
    /// The path of the field that could not be read.
    public var field: String?
    /// How long the service asks to be left alone.
    public var retryAfter: Duration?
    /// Whether trying again within the same request makes sense.
    public var isTransient: Bool

    /// Makes an error; whether it is transient follows from kind and status unless said.
    public init(
        service: String, kind: Kind, message: String, status: Int? = nil, code: String? = nil, field: String? = nil,
        retryAfter: Duration? = nil, isTransient: Bool? = nil
    ) {
        self.service = service
        self.kind = kind
        self.message = message
        self.status = status
        self.code = code
        self.field = field
        self.retryAfter = retryAfter
        self.isTransient = isTransient ?? Self.isTransient(kind, status)
    }

    private static func isTransient(_ kind: Kind, _ status: Int?) -> Bool {
        switch status {
        // A refusal stays one, except: no request in time, too early, too many.
        case .some(let status) where (400...499).contains(status): [408, 425, 429].contains(status)
        default: [.unavailable, .timeout, .maintenance].contains(kind)
        }
    }
}

extension UpstreamError: CustomStringConvertible {
    /// Everything that is known, in one line.
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
