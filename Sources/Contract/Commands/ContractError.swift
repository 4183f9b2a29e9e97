public import JSONCoding

/// The error object of the contract, section 5: the reason why a request or command failed.
///
/// Clients see the error as it is, so its message must not contain a key.
public struct ContractError: Error, Hashable, Sendable, Decodable {
    /// The closed set of error codes.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The request is invalid; `field` names the part.
        case badRequest
        /// The day lies before 2003-11-11, or is today or later.
        case dateOutOfRange
        /// The request's id was used before with another body.
        case conflict
        /// The day has no figures, or not yet.
        case notPublished
        /// The movie, product or page does not exist.
        case notFound
        /// The upstream rejects our key, or none is configured.
        case unauthorized
        /// The key does not have the permission.
        case forbidden
        /// The daily quota is used up, our own or the upstream's.
        case quotaExhausted
        /// The upstream answered 5xx or could not be reached.
        case upstreamUnavailable
        /// The upstream did not answer in time.
        case upstreamTimeout
        /// The upstream reports maintenance.
        case maintenance
        /// The upstream's response is malformed; `field` is the path.
        case upstreamInvalid
        /// It is unknown whether the upstream carried out the order.
        case uncertain
        /// A queue or a rate limit is exceeded.
        case overloaded
        /// An internal error.
        case `internal`

        /// Whether the same request may succeed later.
        public var isRetryable: Bool {
            switch self {
            case .badRequest, .dateOutOfRange, .conflict, .notFound, .unauthorized, .forbidden, .upstreamInvalid,
                .uncertain:
                false
            case .notPublished, .quotaExhausted, .upstreamUnavailable, .upstreamTimeout, .maintenance, .overloaded,
                .internal:
                true
            }
        }
    }

    /// The upstream's own response.
    public struct Upstream: Hashable, Sendable, Codable {
        /// The service (`kobis`, `kakao`).
        public let service: String
        /// The HTTP status, if there was a response.
        @Nullable public var status: Int?
        /// The service's own error code, if it sent one.
        @Nullable public var code: String?

        /// Makes the description.
        public init(service: String, status: Int? = nil, code: String? = nil) {
            self.service = service
            self.status = status
            self.code = code
        }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence for people: what failed, and why.
    public let message: String
    /// The number of seconds to wait before the next attempt, if known.
    public var retryAfter: Int?
    /// The invalid part of the request or response.
    public var field: String?
    /// The upstream's response, if one caused the error.
    public var upstream: Upstream?

    /// Makes an error.
    public init(
        _ code: Code, _ message: String, field: String? = nil, retryAfter: Int? = nil, upstream: Upstream? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.retryAfter = retryAfter
        self.upstream = upstream
    }
}

extension ContractError: Encodable {
    private enum Key: String, CodingKey {
        case code
        case message
        case retryable
        case retryAfter
        case field
        case upstream
    }

    /// Writes all six fields, `retryable` by the code, unknown ones as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode(code.isRetryable, forKey: .retryable)
        try container.encode(retryAfter, forKey: .retryAfter)
        try container.encode(field, forKey: .field)
        try container.encode(upstream, forKey: .upstream)
    }
}
