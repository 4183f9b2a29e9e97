/// The pictures that are in memory, up to so many bytes; those that were used longest ago make room.
struct MemoryImageCache: Sendable {
    private var images: [ImageKey: (image: CachedImage, used: Int)] = [:]
    private var uses = 0
    private let limit: Int
    /// How many bytes the pictures have.
    private(set) var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// A picture, which counts as used now.
    mutating func take(_ key: ImageKey) -> CachedImage? {
        guard let image = images[key]?.image else { return nil }
        uses += 1
        images[key]?.used = uses
        return image
    }

    /// Puts a picture in the place of the one with its key.
    mutating func put(_ image: CachedImage, _ key: ImageKey) {
        remove(key)
        guard image.bytes.count <= limit else { return }
        uses += 1
        images[key] = (image, uses)
        bytes += image.bytes.count
        // A shelf holds some hundreds, so looking through all of them is nothing beside making one.
        while bytes > limit, let oldest = images.min(by: { $0.value.used < $1.value.used }) { remove(oldest.key) }
    }

    /// Takes a picture away.
    mutating func remove(_ key: ImageKey) {
        bytes -= images.removeValue(forKey: key)?.image.bytes.count ?? 0
    }
}
