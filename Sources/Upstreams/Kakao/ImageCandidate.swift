/// A picture that the image search proposes: a stranger's address that may be dead, wrong or hostile.
public struct ImageCandidate: Hashable, Sendable {
    /// Where the picture is said to be.
    public var imageURL: String?
    /// Where the search itself keeps a small copy.
    public var thumbnailURL: String?
    /// The name of the site that shows it.
    public var site: String?
    /// The page that shows it.
    public var pageURL: String?

    /// Makes a candidate.
    public init(imageURL: String?, thumbnailURL: String?, site: String? = nil, pageURL: String? = nil) {
        self.imageURL = imageURL
        self.thumbnailURL = thumbnailURL
        self.site = site
        self.pageURL = pageURL
    }
}
