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
    var imageURL: String?
    /// The URL of the search's own thumbnail.
    var thumbnailURL: String?
    /// The name of the site that shows the image.
    var site: String?
    /// The URL of the page that shows the image.
    var pageURL: String?
    /// The image's width and height as the search gives them, which need not be true.
    var size: Size?

    struct Size: Hashable {
        let width: Int
        let height: Int
    }
}
