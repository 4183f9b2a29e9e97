import BoxOffice
import Contract
import FoundationEssentials
import Networking
import Upstreams

extension ContractError {
    /// What a client is told about an upstream's error; a call that was cancelled is none, and throws that it was.
    init(_ error: UpstreamError, at now: Date) throws(CancellationError) {
        let code: Code =
            switch error.kind {
            // The client's request was checked; an upstream that refuses what we made of it is not as we know it.
            case .badRequest, .invalid: .upstreamInvalid
            case .notPublished: .notPublished
            case .notFound: .notFound
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .quotaExhausted: .quotaExhausted
            case .unavailable: .upstreamUnavailable
            case .cancelled: throw CancellationError()
            case .timeout: .upstreamTimeout
            case .maintenance: .maintenance
            case .internal: .internal
            }
        // Quotas are renewed at midnight in Korea, unless the upstream says otherwise.
        let wait = error.retryAfter ?? (code == .quotaExhausted ? KoreanDate.timeToMidnight(at: now) : nil)
        self.init(
            code, error.message, field: error.field, retryAfter: wait.map(\.wholeSeconds),
            upstream: code == .internal
                ? nil : Upstream(service: error.service, status: error.status, code: error.code))
    }
}

extension Duration {
    /// The duration in seconds, rounded up: who waits that long has waited long enough.
    fileprivate var wholeSeconds: Int {
        Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
    }
}
