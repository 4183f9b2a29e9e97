import Crypto
import FoundationEssentials
import Imaging
import Networking
import ServiceRuntime
import Storage

/// Fetches images from other hosts for the browsers, and caches them in memory and in a database.
struct ImageProxy: Sendable {
    let cache: TieredImageCache
    private let client: HTTPClient
    private let database: Database

    /// Opens the cache's database, and replaces it by an empty one if it cannot be used.
    ///
    /// - Parameters:
    ///   - trusted: URL of a service from which images are fetched even if its address is private.
    ///   - decoder: decodes the images.
    init(
        _ path: String, _ configuration: Configuration, trusted: String?, decoder: ImageDecoder, runtime: Runtime
    ) throws {
        database = try Database.openOrRecreate(path: path, schema: DiskImageCache.schema) { error in
            runtime.logger.warning(
                "cannot use the board's image database; deleted it, and images will be fetched again",
                [.error: "\(error)"])
        }
        let budget = configuration.memoryBudget
        client = ImageFetcher.makeClient(memory: budget.bytes(for: .upstreamBodies))
        let fetch = ImageFetcher(
            client: client, allowsPrivateAddresses: configuration.allowsPrivateImages, trustedURL: trusted)
        var limits = TieredImageCache.Limits()
        limits.memory = min(limits.memory, budget.bytes(for: .images) / 4)
        limits.undecoded = min(limits.undecoded, budget.bytes(for: .upstreamBodies))
        cache = TieredImageCache(
            database: database, fetcher: fetch, decoder: decoder, limits: limits, wallClock: runtime.wallClock
        ) { error in
            runtime.logger.warning(
                "cannot make or store an image; it will be fetched again",
                [.error: "\(error)"])
        }
    }

    /// Adds how many images were requested, and how many bytes are cached.
    func addMetrics(to metrics: Metrics) {
        metrics.counters(
            "marquee_images_total", "Images that browsers requested, by where they were found.", by: "from"
        ) {
            [cache] in await cache.counts()
        }
        metrics.gauges("marquee_images_bytes", "Bytes of the cached images, in memory and on disk.", by: "where") {
            [cache] in try await cache.sizes()
        }
    }

    /// Cancels running fetches, and closes the database.
    func close() async {
        await client.shutdown()
        await database.close()
    }
}

/// Returns what stands for another host's image in the board's own URLs: the first 16 hexadecimal digits of the SHA-256 of
/// its URL.
///
/// A visitor can only request images that an event has named.
func imageVersion(of url: String) -> String {
    String(SHA256.hexDigest(of: Array(url.utf8)).prefix(16))
}
