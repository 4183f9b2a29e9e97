public import BoxOffice
import FoundationEssentials
public import Networking
import Text

/// Finds a movie's poster: searches images, reads the pages that show them, and tries the images of those that are about
/// the movie until one of them is a valid image.
///
/// The URLs are untrusted: each is fetched with limits of time and size, from public addresses only unless permitted
/// otherwise, and only the bytes decide what it is. The finder describes an image and does not keep it. What a page has
/// to say is decided by ``PosterEvidence``; see docs/decisions/0094-the-poster-of-the-right-movie.md.
public struct PosterFinder: Sendable {
    /// The service name of image hosts and their pages in errors; their responses count against no quota.
    public static let service = "poster"

    /// Maximum number of candidates of a search whose pages are read.
    static let candidateLimit = 8

    private let client: HTTPClient
    private let images: HTTPClient
    private let search: KakaoImageSearch
    private let addressPolicy: HTTPRequest.AddressPolicy

    /// Creates a finder.
    ///
    /// - Parameters:
    /// - client: Sends the search.
    /// - images: Fetches the images and their pages; nil for `client`. A client without retries suits best: of eight
    ///   candidates the next one is faster than a dead host's fourth attempt.
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

    /// Returns the poster of a movie, without an image if the search found none that is sure to be the movie's.
    ///
    /// The first search names the year and the director; only if it brings no image, a second one names the title alone.
    /// Images and pages that cannot be fetched count as none, even if all fail because of the network: the search itself
    /// has just succeeded, so the hosts are the likely cause. An error would repeat the search for the same movie again
    /// and again.
    ///
    /// - Throws: The error of a search; `cancelled` if the task is cancelled.
    public func poster(for movie: Movie) async throws(UpstreamError) -> Reading<Poster> {
        let unreadable = UnreadableFields()
        let poster = try await poster(for: movie, unreadable)
        return Reading(value: poster, unreadable: unreadable.fields)
    }

    private func poster(for movie: Movie, _ unreadable: UnreadableFields) async throws(UpstreamError) -> Poster {
        let subject = PosterSubject(movie)
        var choice = PosterChoice(subject)
        let start = ContinuousClock.now
        for query in subject.queries {
            let hits = try await client.send(search.images(query: query))
            unreadable.add(hits.unreadable)
            choice.begin(query, hits.value)
            if let poster = try await firstConfirmed(&choice, of: movie, until: start + .seconds(20)) { return poster }
        }
        // A small image of the right page is better than none; one whose page names the title only is the last resort.
        for (hit, usesThumbnail) in choice.otherHits {
            let address = usesThumbnail ? hit.candidate.thumbnailURL : hit.candidate.imageURL
            guard let image = try await image(of: hit.candidate, at: address, until: start + .seconds(30)) else {
                continue
            }
            guard usesThumbnail || image.isPoster else {
                choice.reject(.shape)
                continue
            }
            return choice.poster(of: movie, image, hit)
        }
        return choice.poster(of: movie)
    }

    /// Reads the candidates' pages and returns the image of the first that is about the movie.
    private func firstConfirmed(
        _ choice: inout PosterChoice, of movie: Movie, until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Poster? {
        // A page often shows several images that are found.
        var pages: [String: PosterPage] = [:]
        for candidate in choice.candidates.prefix(Self.candidateLimit) {
            let url = candidate.pageURL ?? ""
            if pages[url] == nil { pages[url] = try await page(at: url, until: end) }
            guard let page = pages[url] else {
                choice.reject(.unreadable)
                continue
            }
            guard let hit = choice.judge(candidate, page) else { continue }
            guard let image = try await image(of: candidate, at: candidate.imageURL, until: end) else {
                choice.reject(.noImage, of: hit)
                continue
            }
            guard image.isPoster else {
                choice.reject(.shape)
                continue
            }
            return choice.poster(of: movie, image, hit)
        }
        return nil
    }

    /// Returns the page at a URL, or nil if it cannot be read; starts no fetch after `end`.
    private func page(
        at url: String, until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> PosterPage? {
        try await first(of: WebAddress(url)?.readable, until: end) { url in
            PosterPage.endpoint(url, addressPolicy: addressPolicy)
        }?.value
    }

    /// Returns the image at a candidate's URL, or nil if that is none; starts no fetch after `end`.
    private func image(
        of candidate: ImageCandidate, at address: String?, until end: ContinuousClock.Instant
    ) async throws(UpstreamError) -> Poster.Image? {
        let found = try await first(of: address.flatMap(WebAddress.init), until: end) { url in
            VerifiedImage.endpoint(url, addressPolicy: addressPolicy)
        }
        return found.map { candidate.image(at: $0.url, verified: $0.value) }
    }

    /// Returns what the first alternative of an address responds with; nil if none does.
    private func first<Value: Sendable>(
        of address: WebAddress?, until end: ContinuousClock.Instant, _ endpoint: (String) -> Endpoint<Value>
    ) async throws(UpstreamError) -> (url: String, value: Value)? {
        for url in address?.alternatives ?? [] {
            guard ContinuousClock.now < end else { return nil }
            do {
                return (url, try await images.send(endpoint(url)))
            } catch {
                if error.kind == .cancelled { throw error }
                // A host that does not respond on one port rarely responds on the other.
                if error.kind == .timeout { break }
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

extension Poster.Image {
    /// Whether the image has the form of a poster.
    fileprivate var isPoster: Bool { ImageCandidate.Size(width: width, height: height).isPoster }
}
