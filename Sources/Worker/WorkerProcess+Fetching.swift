import Concurrency
import Contract
import Networking
import OpenMarket
import ServiceRuntime
import Upstreams

extension WorkerProcess {
    /// Makes the service that carries out the requests, with a fetcher for each share of the quota.
    func makeFetchService(
        _ clients: HTTPClients, store: WorkerStore, queue: RequestQueue, quota: QuotaLedger, metrics: WorkerMetrics
    ) -> FetchService {
        let openMarket = makeOpenMarketHandlers(clients, store)
        func fetcher(_ client: HTTPClient) -> Fetcher {
            let (kobis, kakao) = (configuration.kobis, configuration.kakao)
            return Fetcher(
                store: store, client: client, kobis: kobis.key.map { Kobis(url: kobis.url, key: $0.value) },
                posters: kakao.key.map {
                    PosterSearch(
                        client: client, images: clients.images, search: KakaoImageSearch(url: kakao.url, key: $0.value),
                        allowsPrivateAddresses: configuration.allowsPrivateImages)
                }, quota: quota, runtime: runtime, openMarket: openMarket)
        }
        let (live, backfill, visitors) = (
            fetcher(clients.live), fetcher(clients.backfill), fetcher(clients.visitors)
        )
        return FetchService(
            width: max(FetchService.defaultWidth, 2 * configuration.callsAtOnce), queue: queue,
            fetcher: { share in
                switch share {
                case .live: live
                case .backfill: backfill
                case .visitors: visitors
                }
            }, store: store, metrics: metrics, runtime: runtime)
    }

    /// Returns the parts that use the Open Market, or nil if none is configured.
    private func makeOpenMarketHandlers(_ clients: HTTPClients, _ store: WorkerStore) -> OpenMarketHandlers? {
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
            secret: settings.secret, runtime: runtime)
        return OpenMarketHandlers(
            fetcher: ProductFetcher(store: store, client: client),
            executor: ProductOrderExecutor(store: store, client: client, decoder: imageDecoder))
    }
}
