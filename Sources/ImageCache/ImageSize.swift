/// How large a picture is sent to browsers; the raw value is the word in addresses.
public enum ImageSize: String, CaseIterable, Sendable {
    /// Beside a line of a list.
    case small
    /// In a grid, and on a page of its own.
    case large
    /// As large as any is kept; the other sizes are made of it.
    case full

    /// What it must fit into: twice the size on the page, for screens with two pixels a point.
    var box: (width: Int, height: Int) {
        switch self {
        case .small: (144, 216)
        case .large: (480, 720)
        case .full: (1_600, 1_600)
        }
    }

    /// How well a JPEG keeps it; what others are made of is kept better.
    var quality: Int { self == .full ? 88 : 82 }
}
