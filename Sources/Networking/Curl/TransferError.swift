import CCurl

/// Why a transfer brought no answer, before it is known on whose behalf it was made.
struct TransferError: Error {
    let kind: UpstreamError.Kind
    let reason: String

    init(kind: UpstreamError.Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Reads libcurl's verdict.
    init(_ code: CURLcode, _ explanation: String) {
        reason = explanation
        kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_URL_MALFORMAT: .badRequest
            // No HTTP that is spoken here, a length or packing that is wrong, redirects too many or to what is not followed.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING,
                CURLE_TOO_MANY_REDIRECTS, CURLE_LOGIN_DENIED, CURLE_FILESIZE_EXCEEDED:
                .invalid
            // No such name, no connection, TLS, a connection that broke before, in or after the head.
            default: .unavailable
            }
    }

    static let cancelled = TransferError(kind: .cancelled, reason: "cancelled")

    static func tooLarge(limit: Int) -> TransferError {
        TransferError(kind: .invalid, reason: "the answer is longer than \(limit) bytes")
    }
}

/// How a transfer ends.
typealias TransferOutcome = Result<HTTPResponse, TransferError>
