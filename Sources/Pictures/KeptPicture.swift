import FoundationEssentials

/// What a kept picture is found by.
struct PictureKey: Hashable, Sendable {
    let url: String
    let size: PictureSize
}

/// A picture in a size in which it is sent, as a JPEG of ours: no byte of a stranger's file is left in it.
struct KeptPicture: Hashable, Sendable {
    let bytes: [UInt8]
    /// When its source last was the same.
    var checked: Date
}

/// What its source says a picture can be recognized by, to be asked whether it is still the same (RFC 9110, 8.8).
struct Validators: Hashable, Sendable {
    var entityTag: String?
    var lastModified: String?
}
