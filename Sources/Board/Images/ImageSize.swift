import Imaging

/// The size in which an image is sent to browsers; the raw value is its name in URLs.
enum ImageSize: String, CaseIterable, Sendable {
    /// For a line of a list.
    case small
    /// For a grid, and for a page about one thing.
    case large
    /// The largest size that is kept; the others are made from it.
    case full

    /// The largest width and height in pixels: twice the size on the page, for screens with two pixels per point.
    private var bounds: (width: Int, height: Int) {
        switch self {
        case .small: (144, 216)
        case .large: (480, 720)
        case .full: (1_600, 1_600)
        }
    }

    /// What the decoder is to make of an image.
    var target: ImageDecoder.Target {
        ImageDecoder.Target(width: bounds.width, height: bounds.height, quality: quality)
    }

    /// The quality of the JPEG, 1 to 100; it is higher for the size from which others are made.
    private var quality: Int { self == .full ? 88 : 82 }
}
