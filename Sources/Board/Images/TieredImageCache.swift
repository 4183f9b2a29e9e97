internal import Concurrency
import FoundationEssentials
import Imaging
import ServiceRuntime
import Storage

/// A cache of images from other hosts, in memory and on disk, in the sizes that pages need.
///
/// An image is identified by its URL. One that was not checked for an hour is fetched again with its validators, so that an
/// unchanged image costs its host an empty response (RFC 9111, 4.3). Concurrent requests for one image share one fetch. If
/// the fetch fails, the old image is returned. If the disk is full or damaged, images are fetched again.
actor TieredImageCache {
    struct Limits: Sendable {
        /// The largest size of all images in memory, in bytes.
        var memory = 16 << 20
        /// The largest size of all images on disk, in bytes.
        var disk = 128 << 20
        /// The largest size of all files that wait for the decoder, in bytes; one alone may be larger.
        var undecoded = 40 << 20
        /// The time for which an image is returned without asking its host, in seconds.
        var freshness: TimeInterval = 3_600
        /// The time for which a URL without an image is not fetched again, in seconds.
        var failurePause: TimeInterval = 600
    }

    /// The source of an image that was returned; the raw value is its label in metrics.
    enum CacheTier: String, CaseIterable, Sendable {
        case memory
        case disk
        /// The cache, after the host confirmed that the image has not changed.
        case unchanged
        case fetched
        /// No image was returned.
        case unavailable = "nowhere"
    }

    private typealias FullSizeImage = (image: CachedImage, isNew: Bool)

    private var memory: MemoryImageCache
    private let disk: DiskImageCache
    private let fetcher: ImageFetcher
    private let decoder: ImageDecoder
    private let limits: Limits
    private let wallClock: WallClock
    private let report: @Sendable (any Error) -> Void
    // A lookup goes on after its caller has left: its image is stored for the next one.
    private let lookups = SingleFlight<ImageKey, CachedImage?>(cancelsAbandonedRuns: false)
    private let fetches = SingleFlight<String, FullSizeImage?>(cancelsAbandonedRuns: false)
    /// The times of failed fetches by URL.
    private var failures: [String: Date] = [:]
    /// The times of uses that are not on disk yet.
    private var uses: [ImageKey: Date] = [:]
    private var tierCounts: [CacheTier: Int] = [:]
    /// The size of the files that wait for the decoder.
    private var undecodedBytes = 0

    /// The number of failed URLs that are remembered.
    private static let failureLimit = 2_000

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - database: a database that only this cache uses, with ``DiskImageCache/schema``.
    ///   - fetcher: fetches images that are not in the cache.
    ///   - decoder: decodes what was fetched, and makes the sizes.
    ///   - limits: limits on sizes and ages.
    ///   - wallClock: the clock for the ages of images.
    ///   - report: receives the errors of the database and of the decoder's process; the cache goes on without them.
    init(
        database: Database, fetcher: ImageFetcher, decoder: ImageDecoder, limits: Limits = Limits(),
        wallClock: WallClock = .system,
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        memory = MemoryImageCache(limit: limits.memory)
        disk = DiskImageCache(database: database, limit: limits.disk)
        self.fetcher = fetcher
        self.decoder = decoder
        self.limits = limits
        self.wallClock = wallClock
        self.report = report
    }

    /// Returns the image at a URL as a JPEG; nil if there is none, or at once if the task is cancelled.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - size: the size; smaller images are not enlarged.
    ///   - changedAt: the time of the last known change. An image that was not checked since is not returned.
    func image(at url: String, _ size: ImageSize, changedAt: Date = .distantPast) async -> [UInt8]? {
        let key = ImageKey(url: url, size: size)
        let now = wallClock.now()
        // A change in the future, by a clock that is ahead, counts as one of now; else the image would never be current.
        let since = max(min(changedAt, now), now - limits.freshness)
        if let cached = memory.find(key), cached.checked >= since {
            uses[key] = now
            count(.memory)
            return cached.bytes
        }
        // Throws only if the caller is cancelled.
        return (try? await lookups.run(key) { await self.find(key, since: since) })?.bytes
    }

    /// Returns the number of returned images by the raw values of ``CacheTier``.
    func counts() -> [String: Double] {
        Dictionary(uniqueKeysWithValues: CacheTier.allCases.map { ($0.rawValue, Double(tierCounts[$0] ?? 0)) })
    }

    /// Returns the size of all images in bytes, as `memory` and `disk`.
    func sizes() async throws -> [String: Double] {
        ["memory": Double(memory.bytes), "disk": Double(try await disk.bytes())]
    }

    private func find(_ key: ImageKey, since: Date) async -> CachedImage? {
        let full = await findOnDisk(key.fullSize)?.image
        if let full, full.isRefused, full.checked >= since { return unavailable() }
        let cached = key.size == .full ? full.flatMap { $0.isRefused ? nil : $0 } : await findOnDisk(key)?.image
        if let cached, cached.checked >= since { return deliver(cached, key, from: .disk) }
        if cached == nil, let full, !full.isRefused, full.checked >= since, let image = await resize(full, key) {
            return deliver(image, key, from: .disk)
        }
        guard let full = await fetchFullSize(key.url, since: since) else {
            // An old image is better than none.
            return cached.map { deliver($0, key, from: .disk) } ?? unavailable()
        }
        if key.size == .full { return deliver(full.image, key, from: full.isNew ? .fetched : .unchanged) }
        if !full.isNew, var cached {
            cached.checked = full.image.checked
            return deliver(cached, key, from: .unchanged)
        }
        guard let image = await resize(full.image, key) else { return unavailable() }
        return deliver(image, key, from: full.isNew ? .fetched : .unchanged)
    }

    // MARK: Fetching

    /// Fetches or revalidates an image, once for all concurrent callers; nil if that fails, or failed not long ago.
    private func fetchFullSize(_ url: String, since: Date) async -> FullSizeImage? {
        if let failure = failures[url], failure >= since, wallClock.now() < failure + limits.failurePause { return nil }
        // Callers that come during the fetch join it.
        failures[url] = nil
        return try? await fetches.run(url) { await self.fetchFullSize(url) }  // lookups are not cancelled
    }

    /// Remembers that a URL has no image, and returns none.
    private func fail(_ url: String) -> FullSizeImage? {
        if failures.count >= Self.failureLimit { failures = [:] }
        failures[url] = wallClock.now()
        return nil
    }

    private func fetchFullSize(_ url: String) async -> FullSizeImage? {
        let key = ImageKey(url: url, size: .full)
        let known = await findOnDisk(key)
        let result = await fetcher.fetch(url, known: known?.validators)
        let now = wallClock.now()
        switch result {
        case nil: return fail(url)
        case .postponed: return nil
        case .unchanged:
            guard var full = known?.image else { return fail(url) }
            full.checked = now
            await reporting { try await disk.markChecked(url, at: now) }
            return full.isRefused ? fail(url) : (full, isNew: false)
        case .fetched(let file, let validators):
            guard undecodedBytes == 0 || file.count <= limits.undecoded - undecodedBytes else { return nil }
            undecodedBytes += file.count
            // Nil if the decoder's process could not be started: then nothing is known of the image.
            let outcome = await reporting { try await decoder.jpeg(of: file, ImageSize.full.target) }
            undecodedBytes -= file.count
            guard let decoded = outcome else { return fail(url) }
            guard let bytes = decoded else { return await refuse(key, known: known?.image, validators, at: now) }
            let full = CachedImage(bytes: bytes, checked: now)
            for size in ImageSize.allCases { memory.remove(ImageKey(url: url, size: size)) }
            await storeOnDisk(full, key, validators)
            return (full, isNew: true)
        }
    }

    /// Remembers a file that is no image, or none that is decoded, for as long as an image is. An earlier image of the
    /// same URL stays, and counts as checked.
    private func refuse(
        _ key: ImageKey, known: CachedImage?, _ validators: CacheValidators, at now: Date
    ) async -> FullSizeImage? {
        if var known, !known.isRefused {
            known.checked = now
            await reporting { try await disk.markChecked(key.url, at: now) }
            return (known, isNew: false)
        }
        await reporting { try await disk.deleteRefused(checkedBefore: now - limits.freshness) }
        await storeOnDisk(.refused(at: now), key, validators)
        return fail(key.url)
    }

    /// Makes a smaller size from the full one and stores it.
    private func resize(_ full: CachedImage, _ key: ImageKey) async -> CachedImage? {
        let decoded = await reporting { try await decoder.jpeg(of: full.bytes, key.size.target) }
        guard let bytes = decoded ?? nil else { return nil }
        let image = CachedImage(bytes: bytes, checked: full.checked)
        await storeOnDisk(image, key, CacheValidators())
        return image
    }

    // MARK: Disk

    private func findOnDisk(_ key: ImageKey) async -> (image: CachedImage, validators: CacheValidators)? {
        await reporting { try await disk.find(key) } ?? nil
    }

    private func storeOnDisk(_ image: CachedImage, _ key: ImageKey, _ validators: CacheValidators) async {
        uses[key] = wallClock.now()
        let uses = uses
        self.uses = [:]
        await reporting { try await disk.store(image, key, validators, uses: uses) }
    }

    private func reporting<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            report(error)
            return nil
        }
    }

    // MARK: Results

    /// Stores an image in memory, counts it, and returns it.
    private func deliver(_ image: CachedImage, _ key: ImageKey, from tier: CacheTier) -> CachedImage {
        memory.store(image, key)
        uses[key] = wallClock.now()
        count(tier)
        return image
    }

    private func unavailable() -> CachedImage? {
        count(.unavailable)
        return nil
    }

    private func count(_ tier: CacheTier) {
        tierCounts[tier, default: 0] += 1
    }
}
