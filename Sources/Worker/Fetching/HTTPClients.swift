import Concurrency
import Health
import Networking
import ServiceRuntime
import Upstreams

struct HTTPClients: Sendable {
    /// One for each share of the quota, so that a request never joins the call of one that may use less.
    let live: HTTPClient
    let backfill: HTTPClient
    let visitors: HTTPClient
    /// For the downloads of poster images, without retries.
    let images: HTTPClient
    /// For orders at the Open Market, without retries.
    let orders: HTTPClient

    /// Makes the clients. Those for a share of the quota book each call in it before they make it.
    init(_ configuration: Configuration, quota: QuotaLedger, metrics: WorkerMetrics, key: KobisKeyHealth) {
        let calls = configuration.callsAtOnce
        let limits = HTTPClient.Limits(perHost: calls, total: max(32, calls + 8))
        func client(for share: QuotaShare) -> HTTPClient {
            HTTPClient(limits: limits) {
                service throws(UpstreamError) in
                guard let day = try await quota.book(service, for: share) else { return nil }
                return { await quota.release(service, on: day) }
            } afterAttempt: { service, failure, duration in
                metrics.countCall(service, failure, duration)
                key.recordCall(service, failure)
            }
        }
        live = client(for: .live)
        backfill = client(for: .backfill)
        visitors = client(for: .visitors)
        images = HTTPClient(retry: .never, afterAttempt: metrics.countCall)
        orders = HTTPClient(retry: .never, afterAttempt: metrics.countCall)
    }

    /// Cancels the calls in progress and closes the connections.
    func shutdown() async {
        for client in [live, backfill, visitors, images, orders] { await client.shutdown() }
    }
}

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
