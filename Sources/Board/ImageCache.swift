internal import Concurrency
import Crypto
import FoundationEssentials
import Imaging
import Networking
import ServiceRuntime
import Storage
import Text

/// Images of other hosts, kept on disk as JPEGs in the sizes that pages need.
///
/// An image is kept for a day and then fetched again; if that fails, the old one is returned. Concurrent requests for one
/// image share one fetch. If the disk is full or damaged, images are fetched again.
actor ImageCache {
    struct Limits: Sendable {
        /// The largest size of all images on disk, in bytes; the oldest are removed.
        var disk = 128 << 20
        /// The largest size of all files that wait for the decoder, in bytes; one alone may be larger.
        var undecoded = 40 << 20
    }

    /// Where an image was found; the raw value is its label in metrics.
    enum Origin: String, CaseIterable, Sendable {
        case disk
        case fetched
        case nowhere
    }

    /// An image as it is sent to browsers, and when it was fetched.
    private struct Image {
        let bytes: [UInt8]
        let fetched: Date
    }

    private typealias FullSize = (image: Image, origin: Origin)

    private struct Key: Hashable {
        let url: String
        let size: ImageSize
    }

    static let schema = Schema(
        "mqim", version: 2,
        """
        create table image (
            url text not null,
            size text not null,
            bytes blob not null,
            fetched integer not null,
            primary key (url, size)
        ) strict;
        create index image_age on image (fetched);
        """)

    /// The time for which an image is returned without asking its host, in seconds.
    private static let freshness: TimeInterval = 86_400
    /// The time for which a URL without an image is not fetched again, in seconds.
    private static let failurePause: TimeInterval = 600
    /// The number of failed URLs that are remembered.
    private static let failureLimit = 2_000

    private let database: Database
    private let fetcher: ImageFetcher
    private let decoder: ImageDecoder
    private let limits: Limits
    private let wallClock: WallClock
    private let logger: Logger
    // A lookup goes on after its caller has left: its image is stored for the next one.
    private let lookups = SingleFlight<Key, [UInt8]?>(cancelsAbandonedRuns: false)
    private let fetches = SingleFlight<String, FullSize?>(cancelsAbandonedRuns: false)
    /// The times of failed fetches by URL.
    private var failures: [String: Date] = [:]
    private var counts: [Origin: Int] = [:]
    private var undecodedBytes = 0

    /// Opens the database at `path`, and replaces it by an empty one if it cannot be used.
    init(
        _ path: String, fetcher: ImageFetcher, decoder: ImageDecoder, limits: Limits = Limits(), wallClock: WallClock,
        logger: Logger
    ) throws {
        database = try Database.openOrRecreate(path: path, schema: Self.schema) { error in
            logger.warning(
                "cannot use the board's image database; deleted it, and images will be fetched again",
                [.error: "\(error)"])
        }
        self.fetcher = fetcher
        self.decoder = decoder
        self.limits = limits
        self.wallClock = wallClock
        self.logger = logger
    }

    nonisolated func addMetrics(to metrics: Metrics) {
        metrics.counters(
            "marquee_images_total", "Images that browsers requested, by where they were found.", by: "from"
        ) {
            let counts = await self.counts
            return Dictionary(uniqueKeysWithValues: Origin.allCases.map { ($0.rawValue, Double(counts[$0] ?? 0)) })
        }
        metrics.gauge("marquee_images_bytes", "Bytes of the images on disk.") { Double(try await self.byteCount()) }
    }

    /// Cancels running fetches, and closes the database.
    func close() async {
        await fetcher.client.shutdown()
        await database.close()
    }

    /// Returns the size of all images in bytes.
    func byteCount() async throws -> Int {
        try await database.read { connection in
            try connection.query("select coalesce(sum(length(bytes)), 0) from image", as: Int.self)[0]
        }
    }

    func count(_ origin: Origin) -> Int { counts[origin] ?? 0 }

    /// Returns the image at a URL as a JPEG; nil if there is none, or at once if the task is cancelled.
    ///
    /// - Parameter changedAt: When the image is known to have changed. One that was not fetched since is fetched again.
    func image(at url: String, _ size: ImageSize, changedAt: Date = .distantPast) async -> [UInt8]? {
        let now = wallClock.now()
        // A change in the future, by a clock that is ahead, counts as one of now; else the image would never be current.
        let since = max(min(changedAt, now), now - Self.freshness)
        let key = Key(url: url, size: size)
        // Throws only if the caller is cancelled.
        return (try? await lookups.run(key) { await self.find(key, since: since) }) ?? nil
    }

    private func find(_ key: Key, since: Date) async -> [UInt8]? {
        let known = await stored(key)
        if let known, known.fetched >= since { return count(known.bytes, from: .disk) }
        // Throws only when the board stops.
        let full = (try? await fetches.run(key.url) { await self.fullSize(key.url, since: since) }) ?? nil
        // This size was made of the same file, if there is no newer one.
        if let known, known.fetched >= full?.image.fetched ?? .distantPast { return count(known.bytes, from: .disk) }
        guard let full else { return count(nil, from: .nowhere) }
        if key.size == .full { return count(full.image.bytes, from: full.origin) }
        let decoded = await logging { try await decoder.jpeg(of: full.image.bytes, key.size.target) }
        guard let bytes = decoded ?? nil else { return count(nil, from: .nowhere) }
        await store(Image(bytes: bytes, fetched: full.image.fetched), key)
        return count(bytes, from: full.origin)
    }

    private func count(_ bytes: [UInt8]?, from origin: Origin) -> [UInt8]? {
        counts[origin, default: 0] += 1
        return bytes
    }

    /// Returns the full size, newly fetched unless the one on disk is current; the old one, or nil, if that fails.
    private func fullSize(_ url: String, since: Date) async -> FullSize? {
        let key = Key(url: url, size: .full)
        let known = await stored(key).map { (image: $0, origin: Origin.disk) }
        if let known, known.image.fetched >= since { return known }
        if let failure = failures[url], failure >= since, wallClock.now() < failure + Self.failurePause { return known }
        let file: [UInt8]
        do throws(UpstreamError) {
            file = try await fetcher.fetch(url)
        } catch {
            // The reason is not reported: hosts fail often, and the page shows that there is no image.
            if !error.isWithoutMemory { remember(failureOf: url) }
            return known
        }
        guard undecodedBytes == 0 || file.count <= limits.undecoded - undecodedBytes else { return known }
        undecodedBytes += file.count
        let decoded = await logging { try await decoder.jpeg(of: file, key.size.target) }
        undecodedBytes -= file.count
        guard let bytes = decoded ?? nil else {
            remember(failureOf: url)
            return known
        }
        let image = Image(bytes: bytes, fetched: wallClock.now())
        await store(image, key)
        return (image, .fetched)
    }

    private func remember(failureOf url: String) {
        if failures.count >= Self.failureLimit { failures = [:] }
        failures[url] = wallClock.now()
    }

    // MARK: - Disk

    private func stored(_ key: Key) async -> Image? {
        await logging {
            try await database.read { connection in
                try connection.query(
                    "select bytes, fetched from image where url = ? and size = ?", key.url, key.size.rawValue,
                    as: [UInt8].self, Int.self
                ).first.map { Image(bytes: $0, fetched: Date(millisecondsSince1970: $1)) }
            }
        } ?? nil
    }

    private func store(_ image: Image, _ key: Key) async {
        await logging {
            try await database.write { [limit = limits.disk] connection in
                if key.size == .full { try connection.execute("delete from image where url = ?", key.url) }
                try connection.execute(
                    "insert or replace into image (url, size, bytes, fetched) values (?, ?, ?, ?)", key.url,
                    key.size.rawValue, image.bytes, image.fetched.millisecondsSince1970)
                try connection.execute(
                    """
                    delete from image where rowid in (
                        select rowid from (
                            select rowid, sum(length(bytes)) over (order by fetched desc, rowid desc) as total from image
                        ) where total > ?
                    )
                    """, limit)
            }
        }
    }

    @discardableResult
    private func logging<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            logger.warning("cannot make or store an image; it will be fetched again", [.error: "\(error)"])
            return nil
        }
    }
}

/// The size in which an image is sent to browsers; the raw value is its name in URLs.
enum ImageSize: String, CaseIterable, Sendable {
    /// For a line of a list.
    case small
    /// For a grid, and for a page about one thing.
    case large
    /// The largest size that is kept; the others are made from it.
    case full

    /// What the decoder is to make of an image: twice the size on the page, for screens with two pixels per point.
    var target: ImageDecoder.Target {
        switch self {
        case .small: ImageDecoder.Target(width: 144, height: 216, quality: 82)
        case .large: ImageDecoder.Target(width: 480, height: 720, quality: 82)
        case .full: ImageDecoder.Target(width: 1_600, height: 1_600, quality: 88)
        }
    }
}

/// Fetches images from untrusted hosts, within limits of time and size.
///
/// Only public addresses are connected to, unless private ones are allowed. The content type of a response is ignored.
struct ImageFetcher: Sendable {
    private static let service = "image"
    /// The time for a fetch once it has its turn, as when the worker checks a poster.
    private static let timeout = Duration.seconds(5)
    /// The largest image that is fetched, in bytes.
    private static let maximumSize = 10 << 20
    private static let redirects = 3
    /// The longest URL that is fetched, in bytes.
    private static let maximumURLLength = 2_048

    let client: HTTPClient
    var allowsPrivateAddresses = false
    /// A base URL, such as the sandbox's, below which private addresses are always allowed.
    var trustedURL: String?
    /// The time after which a fetch gives up, its wait for a turn included.
    var deadline = Duration.seconds(15)

    /// Makes a client for fetches: four at a time from one host, so that slow hosts hold up no others.
    ///
    /// - Parameter memory: The largest size of all files that are under way, in bytes; one alone may be larger.
    static func makeClient(memory: Int, timeout: Duration = timeout) -> HTTPClient {
        HTTPClient(
            limits: HTTPClient.Limits(perHost: 4, total: 64, bodyBytes: memory),
            retry: RetryPolicy(attempts: 1, attemptTimeout: timeout))
    }

    /// Fetches the file at `url`, which may be anything.
    func fetch(_ url: String) async throws(UpstreamError) -> [UInt8] {
        guard url.utf8.count <= Self.maximumURLLength else {
            throw UpstreamError(service: Self.service, kind: .badRequest, message: "the URL is too long")
        }
        let isTrusted = trustedURL.map { url.hasPrefix("\($0)/") } ?? false
        let request = HTTPRequest(
            url, headers: [HTTPField("Accept", "image/jpeg, image/png, image/webp")], deadline: deadline,
            responseLimit: Self.maximumSize, redirects: isTrusted ? 0 : Self.redirects,
            addressPolicy: isTrusted || allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly)
        return try await client.send(
            APICall(service: Self.service, request: request) { response throws(UpstreamError) in
                if let failure = response.failure(of: Self.service) { throw failure }
                return Array(response.body)
            })
    }
}

extension UpstreamError {
    /// Whether there was no memory for a response; then nothing is known of it.
    var isWithoutMemory: Bool { kind == .quotaExhausted && status == nil }
}
