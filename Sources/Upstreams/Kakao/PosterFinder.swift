public import BoxOffice
import FoundationEssentials
public import Networking
import Text

/// Finds a movie's poster: searches images, and tries the URLs found until one of them is a valid image.
///
/// The URLs are untrusted: each is fetched with limits of time and size, from public addresses only unless permitted
/// otherwise, and only the bytes decide what it is. The finder describes an image and does not keep it.
public struct PosterFinder: Sendable {
    /// The service name of image hosts in errors; their responses count against no quota.
    public static let service = "poster"

    /// Maximum number of candidates requested and tried.
    static let candidateLimit = 8

    private let client: HTTPClient
    private let images: HTTPClient
    private let search: KakaoImageSearch
    private let addressPolicy: HTTPRequest.AddressPolicy

    /// Creates a finder.
    ///
    /// - Parameters:
    /// - client: Sends the search.
    /// - images: Fetches the images; nil for `client`. A client without retries suits best: of eight candidates the
    ///   next one is faster than a dead host's fourth attempt.
    /// - search: The search API.
    /// - allowsPrivateAddresses: Whether images can come from private addresses, for the sandbox and tests.
    public init(
        client: HTTPClient, images: HTTPClient? = nil, search: KakaoImageSearch, allowsPrivateAddresses: Bool
    ) {
        self.client = client
        self.images = images ?? client
        self.search = search
        addressPolicy = allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly
    }

    /// Returns the poster of a movie, without an image if the search found no usable one.
    ///
    /// Images that cannot be fetched count as none, even if all fail because of the network: the search itself has just
    /// succeeded, so the hosts are the likely cause. An error would repeat the search for the same movie again and
    /// again.
    ///
    /// - Throws: The error of the search; `cancelled` if the task is cancelled.
    public func poster(for code: MovieCode, title: String) async throws(UpstreamError) -> Poster {
        let title = title.trimmed
        let query = "\(title) 영화 포스터"
        let candidates = try await client.send(search.images(query: query)).prefix(Self.candidateLimit)
        let start = ContinuousClock.now
        var image = try await firstImage(of: candidates.map { ($0, $0.imageURL) }, until: start + .seconds(20))
        if image == nil {
            image = try await firstImage(of: candidates.map { ($0, $0.thumbnailURL) }, until: start + .seconds(30))
        }
        return Poster(code: code, title: title, query: query, image: image)
    }

    /// Returns the first candidate whose URL is a valid image; starts no fetch after `end`.
    private func firstImage(
        of candidates: [(ImageCandidate, address: String?)], until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Poster.Image? {
        for (candidate, address) in candidates {
            for url in address.flatMap(WebAddress.init)?.alternatives ?? [] {
                guard ContinuousClock.now < end else { return nil }
                do {
                    return candidate.image(
                        at: url,
                        verified: try await images.send(VerifiedImage.endpoint(url, addressPolicy: addressPolicy)))
                } catch {
                    if error.kind == .cancelled { throw error }
                    // A host that does not respond on one port rarely responds on the other.
                    if error.kind == .timeout { break }
                }
            }
        }
        return nil
    }
}

extension ImageCandidate {
    /// Returns the candidate as the poster's image, fetched from `url`.
    fileprivate func image(at url: String, verified: VerifiedImage) -> Poster.Image {
        Poster.Image(
            imageURL: url, thumbnailURL: thumbnailURL.flatMap(WebAddress.init)?.text ?? url, width: verified.width,
            height: verified.height, site: site,
            pageURL: pageURL.flatMap(WebAddress.init)?.text, source: KakaoImageSearch.service,
            contentType: verified.contentType, bytes: verified.bytes, sha256: verified.sha256)
    }
}
