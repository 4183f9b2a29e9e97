import Concurrency
import Health
import Networking
import ServiceRuntime
import Upstreams

/// Whether a KOBIS key is configured and accepted, judged by the last answer.
struct KobisKeyHealth: Sendable {
    private let isConfigured: Bool
    private let isRejected = Locked(false)

    init(_ key: Secret?) {
        isConfigured = key != nil
    }

    /// Records the outcome of a call to a service; only those to KOBIS count.
    func recordCall(_ service: String, _ failure: UpstreamError.Kind?) {
        guard service == Kobis.service else { return }
        switch failure {
        case .unauthorized, .forbidden: isRejected.withLock { $0 = true }
        // These answers are given only to a key that is accepted.
        case nil, .badRequest, .notPublished, .notFound, .quotaExhausted: isRejected.withLock { $0 = false }
        // These say nothing about the key.
        case .unavailable, .timeout, .maintenance, .wrongAddress, .invalid, .cancelled, .internal: break
        }
    }

    /// The health check that fails without a key, or while KOBIS rejects it.
    var check: HealthCheck {
        HealthCheck("key") {
            if !isConfigured { return "key: no KOBIS key is configured; set MARQUEE_KOBIS_KEY" }
            return isRejected.withLock { $0 } ? "key: KOBIS rejects the key; check MARQUEE_KOBIS_KEY" : nil
        }
    }
}
