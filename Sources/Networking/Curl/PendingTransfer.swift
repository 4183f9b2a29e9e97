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
    /// Whether a part of an HTTP request was sent, so that the service may have seen it.
    var wasSent = false

    init(kind: UpstreamError.Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Creates an error from libcurl's result.
    init(_ code: CURLcode, _ explanation: String) {
        reason = Self.advice(code, explanation).map { "\(explanation); \($0)" } ?? explanation
        kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_URL_MALFORMAT: .badRequest
            // Not HTTP, a wrong length, or too many or disallowed redirects.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_TOO_MANY_REDIRECTS, CURLE_LOGIN_DENIED:
                .invalid
            case _ where Self.advice(code, explanation) != nil: .wrongAddress
            // Name resolution or connect failed, or the connection broke.
            default: .unavailable
            }
    }

    /// Returns what to do about a failure of TLS that does not pass by itself; nil for any other.
    private static func advice(_ code: CURLcode, _ explanation: String) -> String? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            "the server's certificate is not accepted: check the address, the server's certificate, and this machine's "
                + "clock and trusted authorities"
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
            "the trusted authorities cannot be read: install ca-certificates, or check the file that is configured"
        case CURLE_USE_SSL_FAILED: "the server does not encrypt: check the port and the kind of encryption"
        // OpenSSL's own errors are about the protocol; without one the connection broke, which passes.
        case CURLE_SSL_CONNECT_ERROR where explanation.contains("error:"), CURLE_SSL_CIPHER:
            "no common protocol: check the scheme and the port of the address, and the server's versions of TLS"
        default: nil
        }
    }

    /// The error of a compressed body that cannot be decompressed.
    static func damaged(limit: Int) -> TransferError {
        TransferError(
            kind: .invalid, reason: "the compressed response is damaged, or its content is longer than \(limit) bytes")
    }

    static let cancelled = TransferError(kind: .cancelled, reason: "cancelled")

    static func tooLarge(limit: Int) -> TransferError {
        TransferError(kind: .invalid, reason: "the response body is longer than \(limit) bytes")
    }
}

/// The result of a transfer.
typealias TransferOutcome = Result<HTTPResponse, TransferError>
