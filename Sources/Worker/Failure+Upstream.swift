import BoxOffice
import Events
import FoundationEssentials
import Networking
import Upstreams

extension Failure {
    /// What a client is told about an upstream's error.
    init(_ error: UpstreamError, at now: Date) {
        let code: Code =
            switch error.kind {
            // The client's request was checked; an upstream that refuses what we made of it is not as we know it.
            case .badRequest, .invalid: .upstreamInvalid
            case .notPublished: .notPublished
            case .notFound: .notFound
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .quotaExhausted: .quotaExhausted
            case .unavailable, .cancelled: .upstreamUnavailable
            case .timeout: .upstreamTimeout
            case .maintenance: .maintenance
            }
        // Quotas are renewed at midnight in Korea, unless the upstream says otherwise.
        let wait = error.retryAfter ?? (code == .quotaExhausted ? KoreanDate.timeToMidnight(at: now) : nil)
        self.init(
            code, error.message, field: error.field, retryAfter: wait.map { Int($0.components.seconds) },
            upstream: Upstream(service: error.service, status: error.status, code: error.code))
    }
}
