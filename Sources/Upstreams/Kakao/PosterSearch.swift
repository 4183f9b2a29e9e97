public import BoxOffice
import Crypto
import FoundationEssentials
import Imaging
public import Networking
import Text

/// Finds a movie's poster by an image search: the first hit that has the form of a poster, else the first hit.
///
/// The URLs are untrusted: each is fetched with limits of time and size, from public addresses only unless permitted
/// otherwise, and only the bytes decide what it is. The search describes an image and does not keep it. It reads no pages;
/// see docs/decisions/the-poster-of-the-right-movie.md.
public struct PosterSearch: Sendable {
    /// The service name of image hosts in errors; their responses count against no quota.
    public static let service = "poster"

    /// Maximum number of hits whose images are fetched.
    static let candidateLimit = 8
    /// How long after the search a further image is fetched.
    private static let patience = Duration.seconds(30)

    private let client: HTTPClient
    private let images: HTTPClient
    private let search: KakaoImageSearch
    private let addressPolicy: HTTPRequest.AddressPolicy

    /// Creates a search; `images` fetches the images, nil for `client`.
    ///
    /// A client of images without retries suits best: of eight hits the next one is faster than a dead host's fourth
    /// attempt.
    public init(
        client: HTTPClient, images: HTTPClient? = nil, search: KakaoImageSearch, allowsPrivateAddresses: Bool
    ) {
        self.client = client
        self.images = images ?? client
        self.search = search
        addressPolicy = allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly
    }

    /// Returns the poster of a movie after one search, without an image if none can be fetched.
    ///
    /// Images that cannot be fetched count as none, even if all fail because of the network: the search itself has just
    /// succeeded, so the hosts are the likely cause. An error would repeat the search for the same movie again and again.
    ///
    /// - Parameters:
    /// - hasNamesake: Whether the search names year and director, because the title alone would find another movie, too.
    /// - rejected: URLs and SHA-256 digests of images that are not the movie's poster.
    public func poster(
        of movie: Movie, hasNamesake: Bool, besides rejected: Set<String> = []
    ) async throws(UpstreamError) -> Reading<Poster> {
        let query = Self.query(for: movie, hasNamesake: hasNamesake)
        let found = try await client.send(search.images(query: query))
        let chosen = try await firstImage(of: Self.hits(found.value), besides: rejected)
        let poster = Poster(
            code: movie.code, title: movie.title.trimmed, query: query, hit: chosen?.hit.number, image: chosen?.image)
        return Reading(value: poster, unreadable: found.unreadable)
    }

    /// Returns the poster of a movie whose image an operator has chosen; nothing is searched.
    public func poster(of movie: Movie, chosenAt url: String) async throws(UpstreamError) -> Poster {
        let verified = try await images.send(VerifiedImage.endpoint(url, addressPolicy: addressPolicy))
        return Poster(
            code: movie.code, title: movie.title.trimmed, query: "", image: verified.image(at: url, of: nil))
    }

    /// Returns a URL as it is fetched, with percent-encoding; nil if it is not `http` or `https`.
    public static func address(_ text: String) -> String? { WebAddress(text)?.text }

    static func query(for movie: Movie, hasNamesake: Bool) -> String {
        let year = (movie.productionYear ?? movie.openDate?.year).map(String.init)
        let known = hasNamesake ? [year, movie.directors.first?.name].compactMap(\.self) : []
        return ([movie.title.trimmed] + known + ["영화 포스터"]).joined(separator: " ")
    }
}

// MARK: - Hits

extension PosterSearch {
    /// A hit, and its number in the search's order, from 1.
    struct Hit: Hashable {
        let number: Int
        let candidate: ImageCandidate

        /// Whether it may have the form of a poster, as far as the search knows its size.
        var mayBePoster: Bool { candidate.size?.isPoster ?? true }
    }

    /// Returns the hits in the order in which they are tried: those with the form of a poster first.
    static func hits(_ candidates: [ImageCandidate]) -> [Hit] {
        let hits = candidates.enumerated().map { Hit(number: $0 + 1, candidate: $1) }
        return hits.filter(\.mayBePoster) + hits.filter { !$0.mayBePoster }
    }

    /// Returns the first image with the form of a poster, else the first one; of thumbnails only if there is no other.
    private func firstImage(
        of hits: [Hit], besides rejected: Set<String>
    ) async throws(UpstreamError) -> (hit: Hit, image: Poster.Image)? {
        let end = ContinuousClock.now + Self.patience
        func tried(_ address: (ImageCandidate) -> String?) -> ArraySlice<(Hit, WebAddress)> {
            hits.compactMap { hit in
                guard let address = address(hit.candidate).flatMap(WebAddress.init),
                    !address.alternatives.contains(where: rejected.contains)
                else { return nil }
                return (hit, address)
            }.prefix(Self.candidateLimit)
        }
        var first: (hit: Hit, image: Poster.Image)?
        for (hit, address) in tried(\.imageURL) {
            // No further hit has the form of a poster.
            if let first, !hit.mayBePoster { return first }
            guard let image = try await image(of: hit.candidate, at: address, until: end),
                !rejected.contains(image.sha256)
            else { continue }
            if ImageCandidate.Size(width: image.width, height: image.height).isPoster { return (hit, image) }
            first = first ?? (hit, image)
        }
        if let first { return first }
        // The thumbnails are on the search's own host; their form says nothing.
        for (hit, address) in tried(\.thumbnailURL) {
            if let image = try await image(of: hit.candidate, at: address, until: end), !rejected.contains(image.sha256)
            {
                return (hit, image)
            }
        }
        return nil
    }

    /// Returns the image at a hit's address, or nil if that is none; starts no fetch after `end`.
    private func image(
        of candidate: ImageCandidate, at address: WebAddress, until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Poster.Image? {
        for url in address.alternatives {
            guard ContinuousClock.now < end else { return nil }
            do {
                let verified = try await images.send(VerifiedImage.endpoint(url, addressPolicy: addressPolicy))
                return verified.image(at: url, of: candidate)
            } catch {
                if error.kind == .cancelled { throw error }
                // A host that does not respond on one port rarely responds on the other.
                if error.kind == .timeout { break }
            }
        }
        return nil
    }
}

extension ImageCandidate.Size {
    /// Whether an image of this size can be a poster: those of Korean releases are some 1.4 times as high as wide.
    var isPoster: Bool { (1.2...1.65).contains(Double(height) / Double(width)) }
}

// MARK: - Images

struct VerifiedImage: Hashable, Sendable {
    static let deadline = Duration.seconds(5)
    /// Maximum size of an image in bytes: posters of 2,000 × 3,000 pixels stay well below.
    static let responseLimit = 10 << 20
    static let redirects = 3
    /// Minimum width and height in pixels; hosts count visitors with images of one pixel.
    static let minimumSide = 10

    let width: Int
    let height: Int
    let contentType: String
    let bytes: Int
    let sha256: String

    /// Returns the endpoint that fetches an image; it fails if the bytes are not one, whatever the content type.
    static func endpoint(_ url: String, addressPolicy: HTTPRequest.AddressPolicy) -> APICall<VerifiedImage> {
        let request = HTTPRequest(
            url, headers: [HTTPField("Accept", "image/jpeg, image/png, image/webp, image/gif")],
            deadline: deadline, responseLimit: responseLimit, redirects: redirects, addressPolicy: addressPolicy)
        return APICall(service: PosterSearch.service, request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: PosterSearch.service) { throw failure }
            return try VerifiedImage(response.body)
        }
    }

    private init(_ body: Data) throws(UpstreamError) {
        guard let header = ImageHeader.read(body), min(header.width, header.height) >= Self.minimumSide else {
            throw UpstreamError(
                service: PosterSearch.service, kind: .invalid,
                message: "the service answered with \(body.count) bytes that are not a usable image")
        }
        width = header.width
        height = header.height
        contentType = header.format.contentType
        bytes = body.count
        sha256 = SHA256.hexDigest(of: body)
    }

    /// Returns the image as a hit's; as the operator's choice if there is none.
    func image(at url: String, of hit: ImageCandidate?) -> Poster.Image {
        Poster.Image(
            imageURL: url, thumbnailURL: hit?.thumbnailURL.flatMap(WebAddress.init)?.text ?? url, width: width,
            height: height, site: hit?.site, pageURL: hit?.pageURL.flatMap(WebAddress.init)?.text,
            source: hit == nil ? Poster.Image.operatorSource : KakaoImageSearch.service, contentType: contentType,
            bytes: bytes, sha256: sha256)
    }
}

// MARK: - URLs

/// An `http` or `https` URL from an untrusted source.
struct WebAddress {
    private let url: URL

    /// Parses a URL; nil if it is not `http` or `https`. Characters that a URL cannot hold are percent-encoded.
    init?(_ text: String) {
        // Not left to Foundation, which encodes once more what is encoded beside a character that is not.
        let encoded = String(decoding: Array(text.utf8).percentEncodedURL, as: UTF8.self)
        guard let url = URL(string: encoded), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            let host = url.host(), !host.isEmpty
        else { return nil }
        self.url = url
    }

    var text: String { url.absoluteString }

    /// The URLs to try in order: with `https` in place of `http` first, then as written.
    ///
    /// Many hosts that are still linked by `http` support both, and a page served by `https` may not show an `http`
    /// image. A URL with a port is not changed.
    var alternatives: [String] {
        guard let scheme = url.scheme, scheme.lowercased() == "http", url.port == nil else { return [text] }
        return ["https" + text.dropFirst(scheme.count), text]
    }
}
