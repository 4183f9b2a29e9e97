internal import Concurrency
public import FoundationEssentials
public import Operations
public import SQLite

/// Strangers' pictures for pages of ours: fetched once, made small, kept in memory and on disk.
///
/// A picture is known by its address alone. One that was not looked at for an hour is asked for again with its validators,
/// so that an unchanged one costs its host an empty answer (RFC 9111, 4.3). Whoever asks for the same at the same time
/// waits for one fetch. Where a picture can no longer be had the old one is shown. What cannot be kept, because the disk is
/// full or damaged, is fetched again: the cache never fails, it only knows less.
///
/// See docs/decisions/0030-image-cache.md.
public actor TieredImageCache {
    /// How much is kept, and for how long it is believed.
    public struct Limits: Sendable {
        /// Bytes in memory.
        public var memory = 16 << 20
        /// Bytes on disk.
        public var disk = 128 << 20
        /// How long a picture is believed without asking its host.
        public var freshness: TimeInterval = 3_600
        /// How long a host that had no picture is left alone.
        public var pause: TimeInterval = 600

        /// The usual limits.
        public init() {}
    }

    /// Where a picture that was asked for came from; the raw value is the word in metrics.
    public enum Origin: String, CaseIterable, Sendable {
        case memory
        case disk
        /// Its host said that it is unchanged.
        case unchanged
        case fetched
        /// There is none.
        case nowhere
    }

    private struct Visited {
        let full: CachedImage
        let isNew: Bool
    }

    private let store: DiskImageCache
    private let fetch: ImageFetcher
    private let limits: Limits
    private let clock: WallClock
    private let report: @Sendable (any Error) -> Void
    private let darkroom = ImageResizer()
    private var shelf: MemoryImageCache
    // What was asked for is kept, whether the one who asked for it waits or not.
    private let flights = SingleFlight<ImageKey, CachedImage?>(cancelsAbandonedRuns: false)
    private let visits = SingleFlight<String, Visited?>(cancelsAbandonedRuns: false)
    private var failures: [String: Date] = [:]
    private var uses: [ImageKey: Date] = [:]
    private var origins: [Origin: Int] = [:]
    private let fetchPermits = AsyncSemaphore(permits: 4)

    /// How many failures are remembered.
    private static let failureLimit = 2_000

    /// Makes a cache over a file of its own; `report` is told what its disk refuses.
    public init(
        database: Database, fetch: ImageFetcher, limits: Limits = Limits(), clock: WallClock = .system,
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        store = DiskImageCache(database: database, limit: limits.disk)
        shelf = MemoryImageCache(limit: limits.memory)
        self.fetch = fetch
        self.limits = limits
        self.clock = clock
        self.report = report
    }

    /// The tables of the cache's file.
    public static let schema = DiskImageCache.schema

    /// The picture at an address as a JPEG; nil if there is none, or at once if the task is cancelled.
    ///
    /// Whoever knows that it has changed since says when: a version that was looked at before that is not believed.
    public func image(at url: String, _ size: ImageSize, changedAt: Date = .distantPast) async -> [UInt8]? {
        let key = ImageKey(url: url, size: size)
        let now = clock.now()
        // A change that lies ahead of our clock happened now.
        let since = max(min(changedAt, now), now - limits.freshness)
        if let kept = shelf.take(key), kept.checked >= since {
            uses[key] = now
            count(.memory)
            return kept.bytes
        }
        // Fails only if the caller is cancelled.
        return (try? await flights.run(key) { await self.find(key, since: since) })?.bytes
    }

    /// How many pictures came from where.
    public func counts() -> [String: Double] {
        Dictionary(uniqueKeysWithValues: Origin.allCases.map { ($0.rawValue, Double(origins[$0] ?? 0)) })
    }

    /// How many bytes are in memory and on disk.
    public func sizes() async throws -> [String: Double] {
        ["memory": Double(shelf.bytes), "disk": Double(try await store.bytes())]
    }

    private func find(_ key: ImageKey, since: Date) async -> CachedImage? {
        let kept = await kept(key)?.image
        if let kept, kept.checked >= since { return shelved(kept, key, .disk) }
        if kept == nil, key.size != .full, let full = await self.kept(key.full)?.image, full.checked >= since,
            let image = await made(of: full, key)
        {
            return shelved(image, key, .disk)
        }
        guard let visited = await visit(key.url, since: since) else {
            // Better an old picture than none.
            return kept.map { shelved($0, key, .disk) } ?? nothing()
        }
        if key.size == .full { return shelved(visited.full, key, visited.isNew ? .fetched : .unchanged) }
        if !visited.isNew, var kept {
            kept.checked = visited.full.checked
            return shelved(kept, key, .unchanged)
        }
        guard let image = await made(of: visited.full, key) else { return nothing() }
        return shelved(image, key, visited.isNew ? .fetched : .unchanged)
    }

    /// Looks at an address, once for all who wait for it; nil if there is no picture, or was none a moment ago.
    private func visit(_ url: String, since: Date) async -> Visited? {
        if let failure = failures[url], failure >= since, clock.now() < failure + limits.pause { return nil }
        // Whoever comes while the visit is under way joins it.
        failures[url] = nil
        return try? await visits.run(url) { await self.visit(url) }  // nobody cancels it
    }

    private func visit(_ url: String) async -> Visited? {
        let visited = await look(at: url)
        if visited == nil {
            if failures.count >= Self.failureLimit { failures = [:] }
            failures[url] = clock.now()
        }
        return visited
    }

    private func look(at url: String) async -> Visited? {
        let key = ImageKey(url: url, size: .full)
        let known = await kept(key)
        let answer = await fetchPermits.withPermit { [fetch] in await fetch.visit(url, known: known?.validators) }
        let now = clock.now()
        switch answer {
        case nil: return nil
        case .unchanged:
            guard var full = known?.image else { return nil }
            full.checked = now
            await reporting { try await store.check(url, at: now) }
            return Visited(full: full, isNew: false)
        case .bytes(let file, let validators):
            guard let bytes = await darkroom.develop(file, .full) else { return nil }
            let full = CachedImage(bytes: bytes, checked: now)
            for size in ImageSize.allCases { shelf.remove(ImageKey(url: url, size: size)) }
            await keep(full, key, validators)
            return Visited(full: full, isNew: true)
        }
    }

    /// A smaller size, made of the full one and kept.
    private func made(of full: CachedImage, _ key: ImageKey) async -> CachedImage? {
        guard let bytes = await darkroom.develop(full.bytes, key.size) else { return nil }
        let image = CachedImage(bytes: bytes, checked: full.checked)
        await keep(image, key, CacheValidators())
        return image
    }

    private func kept(_ key: ImageKey) async -> (image: CachedImage, validators: CacheValidators)? {
        await reporting { try await store.find(key) } ?? nil
    }

    private func keep(_ image: CachedImage, _ key: ImageKey, _ validators: CacheValidators) async {
        uses[key] = clock.now()
        let uses = uses
        self.uses = [:]
        await reporting { try await store.keep(image, key, validators, uses: uses) }
    }

    private func reporting<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            report(error)
            return nil
        }
    }

    private func shelved(_ image: CachedImage, _ key: ImageKey, _ origin: Origin) -> CachedImage {
        shelf.put(image, key)
        uses[key] = clock.now()
        count(origin)
        return image
    }

    private func nothing() -> CachedImage? {
        count(.nowhere)
        return nil
    }

    private func count(_ origin: Origin) {
        origins[origin, default: 0] += 1
    }
}

extension ImageKey {
    fileprivate var full: ImageKey { ImageKey(url: url, size: .full) }
}
