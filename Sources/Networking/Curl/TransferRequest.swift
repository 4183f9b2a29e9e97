/// What a transfer is for.
enum TransferRequest: Sendable {
    /// A question by HTTP.
    case http(HTTPRequest)
    /// A mail to hand over by SMTP.
    case mail(MailRequest)

    /// What "at most so many at once per host" counts by.
    var origin: String {
        switch self {
        case .http(let request): request.origin
        case .mail(let request): request.url
        }
    }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        switch self {
        case .http(let request): request.mistake
        case .mail(let request): request.mistake
        }
    }

    /// The bytes that an answer may have once it is unpacked.
    var responseLimit: Int {
        switch self {
        case .http(let request): request.responseLimit
        case .mail: 0
        }
    }
}
