import ImageCache
import Networking
import Operations
import SQLite

/// The board's pictures: their cache, its file, and the way to the hosts that have them.
struct ImageProxy: Sendable {
    let cache: TieredImageCache
    private let client = HTTPClient(retry: .never)
    private let file: Database

    /// Opens the file of the pictures, or makes a new one in the place of one that cannot be used.
    init(_ path: String, _ configuration: Configuration, trusted: String?, clock: WallClock, logger: Logger) throws {
        file = try Database.disposable(path: path, schema: TieredImageCache.schema) { error in
            logger.warning("the board's pictures cannot be used, and are fetched again", [.error: "\(error)"])
        }
        let fetch = ImageFetcher(
            client: client, allowsPrivateAddresses: configuration.allowsPrivateImages, trustedURL: trusted)
        cache = TieredImageCache(database: file, fetcher: fetch, wallClock: clock) { error in
            logger.warning("a picture cannot be kept, and will be fetched again", [.error: "\(error)"])
        }
    }

    /// Adds how many pictures were asked for, and how large they are.
    func report(to metrics: Metrics) {
        metrics.counters("marquee_pictures_total", "Pictures that were asked for, by where they were.", by: "from") {
            [cache] in await cache.counts()
        }
        metrics.gauges("marquee_pictures_bytes", "Bytes of the pictures that are kept.", by: "where") {
            [cache] in try await cache.sizes()
        }
    }

    /// Gives up what is being fetched, and closes the file.
    func close() async {
        await client.shutdown()
        await file.close()
    }
}
