/// How large a poster is sent to browsers; the raw value is the word in addresses.
enum PictureSize: String, CaseIterable, Sendable {
    /// Beside a line of the list.
    case small
    /// In the grid and on the film's own page.
    case large

    /// What it must fit into: twice the size on the page, for screens with two pixels a point.
    var box: (width: Int, height: Int) {
        switch self {
        case .small: (144, 216)
        case .large: (480, 720)
        }
    }
}
