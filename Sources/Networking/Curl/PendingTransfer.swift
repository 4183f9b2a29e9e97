import CCurl

/// A transfer that a caller awaits.
struct PendingTransfer: Sendable {
    /// A number that is unique in the transport; later transfers have larger numbers.
    typealias ID = UInt64

    let id: ID
    let request: TransferRequest
    /// The time that the transfer can take once it has started.
    let timeout: Duration
    /// The time at which the transfer fails if it is not complete, started or not.
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<TransferOutcome, Never>

    /// The timeout of the transfer if it starts now.
    var timeLeft: Duration {
        // libcurl reads 0 as "no timeout".
        max(.milliseconds(1), min(timeout, ContinuousClock.now.duration(to: deadline)))
    }
}

// MARK: - Request

/// The request that a transfer sends.
enum TransferRequest: Sendable {
    /// An HTTP request.
    case http(HTTPRequest)
    /// A mail to send by SMTP.
    case mail(MailRequest)

    /// The key by which the limit per host counts.
    var origin: String {
        switch self {
        case .http(let request): request.origin
        case .mail(let request): request.url
        }
    }

    /// The reason why the request cannot be sent; nil if it is valid.
    var validationError: String? {
        switch self {
        case .http(let request): request.validationError
        case .mail(let request): request.validationError
        }
    }

    /// Maximum size of the response body in bytes, after decompression.
    var responseLimit: Int {
        switch self {
        case .http(let request): request.responseLimit
        case .mail: 0
        }
    }
}

// MARK: - Result

/// The reason why a transfer failed, without the service on whose behalf it was made.
struct TransferError: Error {
    let kind: UpstreamError.Kind
    let reason: String

    init(kind: UpstreamError.Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Creates an error from libcurl's result.
    init(_ code: CURLcode, _ explanation: String) {
        reason = explanation
        kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_URL_MALFORMAT: .badRequest
            // Not HTTP, a wrong length or encoding, or too many or disallowed redirects.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
                CURLE_TOO_MANY_REDIRECTS, CURLE_LOGIN_DENIED, CURLE_FILESIZE_EXCEEDED:
                .invalid
            // Name resolution, connect or TLS failed, or the connection broke.
            default: .unavailable
            }
    }

    static let cancelled = TransferError(kind: .cancelled, reason: "cancelled")

    static func tooLarge(limit: Int) -> TransferError {
        TransferError(kind: .invalid, reason: "the response body is longer than \(limit) bytes")
    }
}

/// The result of a transfer.
typealias TransferOutcome = Result<HTTPResponse, TransferError>
