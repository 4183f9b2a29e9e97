import Imaging

/// The size in which an image is sent to browsers; the raw value is its name in URLs.
public enum ImageSize: String, CaseIterable, Sendable {
    /// For a line of a list.
    case small
    /// For a grid, and for a page about one thing.
    case large
    /// The largest size that is kept; the others are made from it.
    case full

    /// The largest width and height in pixels: twice the size on the page, for screens with two pixels per point.
    var bounds: (width: Int, height: Int) {
        switch self {
        case .small: (144, 216)
        case .large: (480, 720)
        case .full: (1_600, 1_600)
        }
    }

    /// The quality of the JPEG, 1 to 100; it is higher for the size from which others are made.
    var quality: Int { self == .full ? 88 : 82 }
}

/// Shrinks images one at a time, because decoding one may take tens of megabytes.
actor ImageResizer {
    /// Returns a file in a size, as a JPEG; nil if the file is not an image, is damaged, or would take too much memory.
    func resize(_ file: [UInt8], to size: ImageSize) -> [UInt8]? {
        Bitmap(decoding: file, toFit: size.bounds.width, size.bounds.height)?.encodeJPEG(quality: size.quality)
    }
}
