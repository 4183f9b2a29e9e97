import BoxOffice
import Contract
import FoundationEssentials
import Networking
import Upstreams

extension ContractError {
    init(_ error: UpstreamError, at now: Date) throws(CancellationError) {
        let code: Code =
            switch error.kind {
            // The client's request was validated, so an upstream that rejects ours has changed.
            case .badRequest, .invalid, .wrongAddress: .upstreamInvalid
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
        let addressVariable = "\(Self.variablePrefix)\(error.service.uppercased())_URL"
        self.init(
            code, error.message, field: error.kind == .wrongAddress ? addressVariable : error.field,
            retryAfter: wait.map(\.wholeSeconds),
            upstream: code == .internal
                ? nil : Upstream(service: error.service, status: error.status, code: error.code))
    }

    private static let variablePrefix = "MARQUEE_"

    /// Whether the request can succeed only after somebody has corrected the configuration: a key or an address.
    var needsOperator: Bool {
        switch code {
        case .unauthorized, .forbidden: true
        case .upstreamInvalid: field?.hasPrefix(Self.variablePrefix) == true
        default: false
        }
    }
}

extension Duration {
    /// The duration in seconds, rounded up, so that a client that waits for it does not come too early.
    fileprivate var wholeSeconds: Int {
        Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
    }
}
