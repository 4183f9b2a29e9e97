import FoundationEssentials

/// What a kept picture is found by.
struct ImageKey: Hashable, Sendable {
    let url: String
    let size: ImageSize
}

/// A picture in a size in which it is sent, as a JPEG of ours: no byte of a stranger's file is left in it.
struct CachedImage: Hashable, Sendable {
    let bytes: [UInt8]
    /// When its source last was the same.
    var checked: Date
}

/// What its source says a picture can be recognized by, to be asked whether it is still the same (RFC 9110, 8.8).
struct CacheValidators: Hashable, Sendable {
    var entityTag: String?
    var lastModified: String?
}
