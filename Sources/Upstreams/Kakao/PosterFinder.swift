public import BoxOffice
import FoundationEssentials
public import Networking

/// Finds a film's poster: searches, and tries the addresses found until one of them is really a picture.
///
/// The addresses are strangers': each is fetched with limits of time and size, from the public internet only unless
/// allowed otherwise, and believed for its bytes alone. What it fetched it describes and forgets.
public struct PosterFinder: Sendable {
    /// What errors call the strangers' hosts; their answers are nobody's quota.
    public static let service = "poster"

    /// The candidates that are tried, and asked for.
    static let candidateLimit = 8

    private let client: HTTPClient
    private let images: HTTPClient
    private let search: KakaoImageSearch
    private let reach: HTTPRequest.AddressPolicy

    /// Makes a finder that asks the search by `client` and strangers' hosts by `images`, or by `client` too.
    ///
    /// A client that never tries again suits `images` best: of eight candidates the next one is sooner there than
    /// a dead host's fourth answer. `allowsPrivateAddresses` is for the sandbox and for tests.
    public init(
        client: HTTPClient, images: HTTPClient? = nil, search: KakaoImageSearch, allowsPrivateAddresses: Bool
    ) {
        self.client = client
        self.images = images ?? client
        self.search = search
        reach = allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly
    }

    /// The poster of a film, or the knowledge that the search found none; throws only what the search throws, and
    /// `cancelled`.
    ///
    /// Pictures that cannot be reached count as none, even if the network is to blame for each: the search itself has
    /// just gone through, so the fault is more likely the hosts' than ours; dead hosts are what the search is known
    /// for, and to call them an error would ask for the same film again and again. A later search may say otherwise.
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

    /// The first candidate with a picture at its address; none is begun to be tried after `end`.
    private func firstImage(
        of candidates: [(ImageCandidate, address: String?)], until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Poster.Image? {
        for (candidate, address) in candidates {
            for url in address.flatMap(WebAddress.init)?.alternatives ?? [] {
                guard ContinuousClock.now < end else { return nil }
                do {
                    return candidate.image(
                        at: url, proof: try await images.send(ImageVerifier.endpoint(url, reach: reach)))
                } catch {
                    if error.kind == .cancelled { throw error }
                    // A host that is silent on one port would only be waited for on the other.
                    if error.kind == .timeout { break }
                }
            }
        }
        return nil
    }
}

extension ImageCandidate {
    /// The candidate as a poster that was fetched from `url`.
    fileprivate func image(at url: String, proof: ImageVerifier) -> Poster.Image {
        Poster.Image(
            imageURL: url, thumbnailURL: thumbnailURL.flatMap(WebAddress.init)?.text ?? url, width: proof.width,
            height: proof.height, site: site,
            pageURL: pageURL.flatMap(WebAddress.init)?.text, source: KakaoImageSearch.service,
            contentType: proof.contentType, bytes: proof.bytes, sha256: proof.sha256)
    }
}
