import Contract
import Messaging
import Networking
import OpenMarket
import Operations
import Upstreams
import ZeroMQ

extension WorkerProcess {
    /// What asks the shop, and what orders there, if the configuration names one.
    func products(
        store: WorkerStore, client: HTTPClient, orders: HTTPClient, clock: WallClock, failPoints: FailPoints
    ) -> (fetcher: ProductFetcher, clerk: ProductOrderExecutor)? {
        let settings = configuration.openMarket
        guard let url = settings.url else { return nil }
        let generation: OpenMarketAPI.Generation =
            switch settings.generation {
            case .v3: .v3
            case .v4: .v4
            }
        let shop = OpenMarketClient(
            api: OpenMarketAPI(url: url, generation: generation, identifier: settings.identifier?.value ?? ""),
            client: client, orders: orders, hasIdentifier: settings.identifier != nil, secret: settings.secret,
            clock: clock)
        return (
            ProductFetcher(store: store, shop: shop),
            ProductOrderExecutor(store: store, shop: shop, pauses: ContinuousClock(), failPoints: failPoints)
        )
    }

    /// The sockets on which requests come in take pictures, and a little more than they may have, so that one which is too
    /// large is refused with a word.
    static func requestOptions(_ access: AccessControl) -> SocketOptions {
        var options = access.socketOptions
        options.maximumFrameBytes = 2 * RequestFrames.imageLimit
        options.maximumMessageBytes = (ProductConstraints.imageCount.upperBound + 1) * RequestFrames.imageLimit
        return options
    }
}
