public import FoundationEssentials
public import Networking

/// Kakao's image search API.
///
/// It makes requests and reads responses but sends nothing itself; ``PosterSearch`` sends the request and tries the
/// images.
public struct KakaoImageSearch: Sendable {
    /// The service's name in errors and in the quota ledger.
    public static let service = "kakao"

    /// Maximum number of hits of a search; it costs one call of the quota whatever their number.
    static let hitLimit = 30

    private let url: String
    private let authorization: HTTPField
    private let now: @Sendable () -> Date

    /// Creates the API.
    ///
    /// - Parameters:
    /// - url: The base URL, without the path of a call.
    /// - key: The REST API key.
    /// - now: The current date, from which the time to the next day's quota follows.
    public init(url: String, key: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        authorization = HTTPField("Authorization", "KakaoAK \(key)", isSecret: true)
        self.now = now
    }

    /// Returns the endpoint that searches images, best match first; the list can be empty.
    public func images(query: String) -> APICall<Reading<[ImageCandidate]>> {
        let request = HTTPRequest(
            "\(url)/v2/search/image",
            query: [HTTPField("query", query), HTTPField("size", "\(Self.hitLimit)")],
            headers: [authorization])
        return APICall(service: Self.service, request: request) { [now] response throws(UpstreamError) in
            try KakaoReply.read(response, at: now())
        }
    }
}

// MARK: - Result

/// An image found by the search. Its URL comes from an untrusted source and may be dead, wrong or hostile.
public struct ImageCandidate: Hashable, Sendable {
    /// The image's URL.
    public var imageURL: String?
    /// The URL of the search's own thumbnail.
    public var thumbnailURL: String?
    /// The name of the site that shows the image.
    public var site: String?
    /// The URL of the page that shows the image.
    public var pageURL: String?
    /// The image's width and height as the search gives them, which need not be true.
    public var size: Size?

    /// A width and a height in pixels.
    public struct Size: Hashable, Sendable {
        /// The width.
        public var width: Int
        /// The height.
        public var height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Creates a candidate.
    public init(
        imageURL: String?, thumbnailURL: String?, site: String? = nil, pageURL: String? = nil, size: Size? = nil
    ) {
        self.imageURL = imageURL
        self.thumbnailURL = thumbnailURL
        self.site = site
        self.pageURL = pageURL
        self.size = size
    }
}
