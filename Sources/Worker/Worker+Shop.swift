import Events
import Networking
import OpenMarket
import Operations
import Upstreams
import ZeroMQ

extension Worker {
    /// What asks the shop, and what orders there, if the configuration names one.
    func products(
        journal: Journal, client: HTTPClient, orders: HTTPClient, clock: WallClock, crashPoints: CrashPoints
    ) -> (fetcher: ProductFetcher, clerk: ProductClerk)? {
        let settings = configuration.openMarket
        guard let url = settings.url else { return nil }
        let generation: OpenMarketAPI.Generation =
            switch settings.generation {
            case .v3: .v3
            case .v4: .v4
            }
        let shop = Shop(
            api: OpenMarketAPI(url: url, generation: generation, identifier: settings.identifier?.value ?? ""),
            client: client, orders: orders, hasIdentifier: settings.identifier != nil, secret: settings.secret,
            clock: clock)
        return (
            ProductFetcher(journal: journal, shop: shop),
            ProductClerk(journal: journal, shop: shop, pauses: ContinuousClock(), crashPoints: crashPoints)
        )
    }

    /// The sockets on which requests come in take pictures, and a little more than they may have, so that one which is too
    /// large is refused with a word.
    static func requestOptions(_ access: Access) -> SocketOptions {
        var options = access.socketOptions
        options.maximumFrameBytes = 2 * RequestFrames.imageLimit
        options.maximumMessageBytes = (ProductRules.pictureCount.upperBound + 1) * RequestFrames.imageLimit
        return options
    }
}
