import BoxOffice
import Contract
import FoundationEssentials
import Networking
import Operations
import TestSupport
import Upstreams

@testable import Worker

extension Desk {
    /// A fetcher that asks KOBIS and Kakao at these addresses, has no key where there is none, and tries once.
    func fetcher(
        kobis: String? = nil, kakao: String? = nil, client: HTTPClient = HTTPClient(retry: .never),
        quota: QuotaLedger? = nil
    ) -> Fetcher {
        Fetcher(
            store: store, client: client,
            kobis: kobis.map { Kobis(url: $0, key: "0123456789abcdef0123456789abcdef") },
            posters: kakao.map {
                PosterFinder(
                    client: client, search: KakaoImageSearch(url: $0, key: "fedcba9876543210"),
                    allowsPrivateAddresses: true)
            }, quota: quota, clock: clock)
    }

    /// A service on this desk's queue, whose pauses `pauses` ends.
    func service(
        _ fetcher: Fetcher, metrics: Metrics = Metrics(), pauses: ManualClock = ManualClock()
    ) -> FetchService {
        FetchService(
            queue: queue, fetcher: { _ in fetcher }, store: store, logger: logger,
            metrics: WorkerMetrics(metrics, clock: pauses), clock: pauses)
    }

    /// Runs `body` beside the service, then stops it.
    func serve(_ service: FetchService, _ body: () async throws -> Void) async throws {
        let running = Task { try await service.run() }
        do {
            try await body()
        } catch {
            running.cancel()
            throw error
        }
        await service.stop()
        try await running.value
    }
}

extension Fetcher {
    /// Finds the answer to a request whose id does not matter.
    func result(for request: Request, asOf now: Date) async throws -> FetchResult {
        try await result(for: AcceptedRequest(id: .random(), request: request), asOf: now)
    }
}
