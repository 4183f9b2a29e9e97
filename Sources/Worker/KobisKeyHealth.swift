import Concurrency
import Health
import Networking
import Operations
import Upstreams

/// Whether there is a key that the council's service accepts, judged by its last answer.
struct KobisKeyHealth: Sendable {
    private let isConfigured: Bool
    private let isRefused = Locked(false)

    init(_ key: Secret?) {
        isConfigured = key != nil
    }

    /// A call to a service has ended.
    func note(_ service: String, _ failure: UpstreamError.Kind?) {
        guard service == Kobis.service else { return }
        switch failure {
        case .unauthorized, .forbidden: isRefused.withLock { $0 = true }
        // Whoever is told this much was let in.
        case nil, .badRequest, .notPublished, .notFound, .quotaExhausted: isRefused.withLock { $0 = false }
        // No answer of the service itself, so nothing about the key.
        case .unavailable, .timeout, .maintenance, .invalid, .cancelled, .internal: break
        }
    }

    /// The check that the key is there and accepted.
    var check: HealthCheck {
        HealthCheck("key") {
            if !isConfigured { return "key: none is configured for KOBIS; set MARQUEE_KOBIS_KEY" }
            return isRefused.withLock { $0 } ? "key: KOBIS refuses it" : nil
        }
    }
}
