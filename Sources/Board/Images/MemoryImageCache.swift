import FoundationEssentials

struct ImageKey: Hashable, Sendable {
    let url: String
    let size: ImageSize

    var fullSize: ImageKey { ImageKey(url: url, size: .full) }
}

/// An image as it is sent to browsers: a JPEG that marquee has encoded. Without bytes it stands for a refused file.
struct CachedImage: Hashable, Sendable {
    let bytes: [UInt8]
    /// The last time at which the source was known to have this image.
    var checked: Date

    /// Whether this stands for a file of which no image is made: it was fetched and refused.
    var isRefused: Bool { bytes.isEmpty }

    /// Returns what is stored in the place of a refused file.
    static func refused(at date: Date) -> CachedImage {
        CachedImage(bytes: [], checked: date)
    }
}

/// The images in memory, up to a number of bytes. The least recently used ones are removed first.
struct MemoryImageCache: Sendable {
    private var images: [ImageKey: (image: CachedImage, lastUse: Int)] = [:]
    private var useCount = 0
    private let limit: Int
    /// The size of all images in bytes.
    private(set) var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns an image and marks it as used.
    mutating func find(_ key: ImageKey) -> CachedImage? {
        guard let image = images[key]?.image else { return nil }
        useCount += 1
        images[key]?.lastUse = useCount
        return image
    }

    /// Stores an image in place of the one with the same key. An image larger than the limit is not stored.
    mutating func store(_ image: CachedImage, _ key: ImageKey) {
        remove(key)
        guard image.bytes.count <= limit else { return }
        useCount += 1
        images[key] = (image, useCount)
        bytes += image.bytes.count
        // There are some hundred images, so a linear search costs nothing beside the encoding of one.
        while bytes > limit, let oldest = images.min(by: { $0.value.lastUse < $1.value.lastUse }) { remove(oldest.key) }
    }

    mutating func remove(_ key: ImageKey) {
        bytes -= images.removeValue(forKey: key)?.image.bytes.count ?? 0
    }
}
