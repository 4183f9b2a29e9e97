public import JSONCoding

/// The error object of the contract, section 5: the reason why a request or command failed.
///
/// Clients see the error as it is, so its message must not contain a key.
public struct ContractError: Error, Hashable, Sendable, Codable {
    /// The closed set of error codes; the contract says when each is used.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case badRequest
        case dateOutOfRange
        case conflict
        case notPublished
        case notFound
        case unauthorized
        case forbidden
        case quotaExhausted
        case upstreamUnavailable
        case upstreamTimeout
        case maintenance
        case upstreamInvalid
        /// It is unknown whether the upstream carried out the order.
        case uncertain
        case overloaded
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
    private let retryable: Bool
    /// One sentence for people: what failed, and why.
    public let message: String
    /// The number of seconds to wait before the next attempt, if known.
    @Nullable public var retryAfter: Int?
    /// The invalid part of the request or response.
    @Nullable public var field: String?
    /// The upstream's response, if one caused the error.
    @Nullable public var upstream: Upstream?

    /// Makes an error.
    public init(
        _ code: Code, _ message: String, field: String? = nil, retryAfter: Int? = nil, upstream: Upstream? = nil
    ) {
        self.code = code
        self.message = message
        retryable = code.isRetryable
        self.field = field
        self.retryAfter = retryAfter
        self.upstream = upstream
    }
}
