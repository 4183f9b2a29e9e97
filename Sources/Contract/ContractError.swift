public import BoxOffice

/// Why a request or command got no other answer: the error object of the contract, section 5.
///
/// It goes to strangers as it is, so no message may hold a key.
public struct ContractError: Error, Hashable, Sendable {
    /// The bounded words by which programs tell failures apart.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// The request cannot be read; `field` names the part.
        case badRequest
        /// The day lies before 2003-11-11, or is today or later.
        case dateOutOfRange
        /// The request's id was seen with another body.
        case conflict
        /// The day has no figures, or none yet.
        case notPublished
        /// There is no such movie, product or page.
        case notFound
        /// The upstream refuses our key, or we have none.
        case unauthorized
        /// Our key may not do this.
        case forbidden
        /// The day's budget of calls is used up, ours or theirs.
        case quotaExhausted
        /// The upstream answered 5xx or could not be reached.
        case upstreamUnavailable
        /// The upstream did not answer in time.
        case upstreamTimeout
        /// The upstream says that it is being worked on.
        case maintenance
        /// The upstream's answer is not what it should be; `field` is the path.
        case upstreamInvalid
        /// It cannot be known whether the upstream has done what was asked.
        case uncertain
        /// The queue is full.
        case overloaded
        /// Our own fault.
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

    /// What the upstream itself said.
    public struct Upstream: Hashable, Sendable, Codable {
        /// The service (`kobis`, `kakao`).
        public let service: String
        /// The HTTP status, if there was an answer.
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

    /// The kind of failure.
    public let code: Code
    /// One sentence for people: what was being done, and why it failed.
    public let message: String
    /// How many seconds to wait before the next try, if that is known.
    public var retryAfter: Int?
    /// The part of the request or answer that is at fault.
    public var field: String?
    /// What the upstream said, if it was one.
    public var upstream: Upstream?

    /// Makes a failure.
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

extension ContractError: Codable {
    private enum Key: String, CodingKey {
        case code
        case message
        case retryable
        case retryAfter
        case field
        case upstream
    }

    /// Reads an error object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        code = try container.decode(Code.self, forKey: .code)
        message = try container.decode(String.self, forKey: .message)
        retryAfter = try container.decodeIfPresent(Int.self, forKey: .retryAfter)
        field = try container.decodeIfPresent(String.self, forKey: .field)
        upstream = try container.decodeIfPresent(Upstream.self, forKey: .upstream)
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
