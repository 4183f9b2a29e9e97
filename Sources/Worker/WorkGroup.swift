import Concurrency
import Contract
import Imaging
import Networking
import OpenMarket
import Operations
import Upstreams

/// The services that do the work: fetchers, schedule, backfill and orders, with their HTTP clients.
///
/// It can be started and stopped any number of times while the endpoints stay open. While it is stopped, requests are
/// accepted and wait in the inbox; each start loads them.
struct WorkGroup: Service {
    let configuration: Configuration
    let parts: WorkerParts
    let logger: Logger
    let wallClock: WallClock
    let clock: any Clock<Duration>
    let failPoints: FailPoints
    let imageDecoder: ImageDecoder
    private let stopSignal = RestartableWakeSignal()

    init(
        configuration: Configuration, parts: WorkerParts, logger: Logger, wallClock: WallClock,
        clock: any Clock<Duration>, failPoints: FailPoints, imageDecoder: ImageDecoder
    ) {
        self.configuration = configuration
        self.parts = parts
        self.logger = logger
        self.wallClock = wallClock
        self.clock = clock
        self.failPoints = failPoints
        self.imageDecoder = imageDecoder
    }

    /// Loads the pending requests and works until it is stopped. Requests in progress are finished within a second or
    /// stay in the inbox.
    func run() async throws {
        let signal = stopSignal.start()
        let clients = WorkerClients(configuration, quota: parts.quota, metrics: parts.metrics, key: parts.keyHealth)
        let result: Result<Void, any Error>
        do {
            try await parts.store.loadPending()
            let schedule = configuration.runsSchedule ? parts.schedule : nil
            let services: [(any Service)?] = [schedule, parts.backfill, makeFetchService(clients)]
            let group = ServiceGroup(services.compactMap(\.self), grace: .seconds(1))
            result = .success(try await group.run { await signal.waitForStop() })
        } catch {
            result = .failure(error)
        }
        parts.queue.close()
        // In a task of its own, which the cancellation of this one does not reach.
        await Task { await clients.shutdown() }.value
        try result.get()
    }

    func stop() async {
        stopSignal.stop()
    }

    private func makeFetchService(_ clients: WorkerClients) -> FetchService {
        let market = makeMarketHandlers(clients)
        let live = makeFetcher(clients.live, images: clients.images, market: market)
        let backfill = makeFetcher(clients.backfill, images: clients.images, market: market)
        let visitors = makeFetcher(clients.visitors, images: clients.images, market: market)
        return FetchService(
            width: max(FetchService.defaultWidth, 2 * configuration.callsAtOnce), queue: parts.queue,
            fetcher: { share in
                switch share {
                case .live: live
                case .backfill: backfill
                case .visitors: visitors
                }
            }, store: parts.store, logger: logger, metrics: parts.metrics, clock: ContinuousClock(),
            failPoints: failPoints)
    }

    private func makeFetcher(_ client: HTTPClient, images: HTTPClient, market: OpenMarketHandlers?) -> Fetcher {
        let (kobis, kakao) = (configuration.kobis, configuration.kakao)
        return Fetcher(
            store: parts.store, client: client,
            kobis: kobis.key.map { Kobis(url: kobis.url, key: $0.value) },
            posters: kakao.key.map {
                PosterSearch(
                    client: client, images: images, search: KakaoImageSearch(url: kakao.url, key: $0.value),
                    allowsPrivateAddresses: configuration.allowsPrivateImages)
            }, quota: parts.quota, wallClock: wallClock, logger: logger, configuredMarket: market)
    }

    /// Returns the parts that use the Open Market, or nil if none is configured.
    private func makeMarketHandlers(_ clients: WorkerClients) -> OpenMarketHandlers? {
        let settings = configuration.openMarket
        guard let url = settings.url else { return nil }
        let generation: OpenMarketAPI.Generation =
            switch settings.generation {
            case .v3: .v3
            case .v4: .v4
            }
        let client = OpenMarketClient(
            api: OpenMarketAPI(url: url, generation: generation, identifier: settings.identifier?.value ?? ""),
            queryClient: clients.live, orderClient: clients.orders, hasIdentifier: settings.identifier != nil,
            secret: settings.secret, wallClock: wallClock)
        return OpenMarketHandlers(
            fetcher: ProductFetcher(store: parts.store, client: client),
            executor: ProductOrderExecutor(
                store: parts.store, client: client, decoder: imageDecoder, clock: ContinuousClock(),
                failPoints: failPoints))
    }
}

/// The HTTP clients of one run of the work group.
struct WorkerClients: Sendable {
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
        func client(for share: QuotaShare) -> HTTPClient {
            HTTPClient(limits: HTTPClient.Limits(concurrentCalls: configuration.callsAtOnce)) {
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
        await live.shutdown()
        await backfill.shutdown()
        await visitors.shutdown()
        await images.shutdown()
        await orders.shutdown()
    }
}
