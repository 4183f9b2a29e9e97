import FoundationEssentials
import Networking

/// Fetches images from untrusted hosts, within limits of time and size.
///
/// Only public addresses are connected to, unless private ones are allowed. The content type of a response is ignored.
struct ImageFetcher: Sendable {
    enum ImageFetchResult: Sendable {
        /// A file, which may be anything, with its validators.
        case fetched([UInt8], CacheValidators)
        /// The known version is still current (304).
        case unchanged
        /// There was no memory for the file; nothing is known of it.
        case postponed
    }

    private static let service = "image"
    /// The time for a fetch once it has its turn, as when the worker checks a poster.
    private static let timeout = Duration.seconds(5)
    /// The largest image that is fetched, in bytes.
    static let maximumSize = 10 << 20
    private static let redirects = 3
    /// The longest URL that is fetched, and the longest validator that is kept, in bytes.
    private static let maximumTextLength = 2_048

    private let client: HTTPClient
    private let deadline: Duration
    private let allowsPrivateAddresses: Bool
    private let trustedURL: String?

    /// Makes a fetcher.
    ///
    /// - Parameters:
    ///   - client: the client for all fetches.
    ///   - allowsPrivateAddresses: whether private and loopback addresses are connected to.
    ///   - trustedURL: a base URL, such as the sandbox's, below which private addresses are always allowed.
    ///   - deadline: the time after which a fetch gives up, its wait for a turn included.
    init(
        client: HTTPClient, allowsPrivateAddresses: Bool = false, trustedURL: String? = nil,
        deadline: Duration = .seconds(15)
    ) {
        self.client = client
        self.deadline = deadline
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.trustedURL = trustedURL
    }

    /// Makes a client for fetches: four at a time from one host, so that slow hosts hold up no others.
    ///
    /// - Parameter memory: the largest size of all files that are under way, in bytes; one alone may be larger.
    static func makeClient(memory: Int) -> HTTPClient {
        HTTPClient(limits: limits(memory: memory), retry: RetryPolicy(attempts: 1, attemptTimeout: timeout))
    }

    /// Returns the limits of such a client.
    static func limits(memory: Int) -> HTTPClient.Limits {
        HTTPClient.Limits(perHost: 4, total: 64, bodyBytes: memory)
    }

    /// Fetches the image at `url`, unless the version with the validators in `known` is still current; nil if that fails.
    func fetch(_ url: String, known: CacheValidators?) async -> ImageFetchResult? {
        guard url.utf8.count <= Self.maximumTextLength else { return nil }
        let isTrusted = trustedURL.map { url.hasPrefix("\($0)/") } ?? false
        var headers = [HTTPField("Accept", "image/jpeg, image/png, image/webp")]
        if let tag = known?.entityTag { headers.append(HTTPField("If-None-Match", tag)) }
        if let date = known?.lastModified { headers.append(HTTPField("If-Modified-Since", date)) }
        let isConditional = headers.count > 1
        let request = HTTPRequest(
            url, headers: headers, deadline: deadline, responseLimit: Self.maximumSize,
            redirects: isTrusted ? 0 : Self.redirects,
            addressPolicy: isTrusted || allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly)
        let endpoint = APICall<ImageFetchResult>(service: Self.service, request: request) {
            response throws(UpstreamError) in
            if isConditional, response.status == 304 { return .unchanged }
            if let failure = response.failure(of: Self.service) { throw failure }
            return .fetched(Array(response.body), CacheValidators(of: response, maximumLength: Self.maximumTextLength))
        }
        do {
            return try await client.send(endpoint)
        } catch {
            // The reason is not reported: hosts fail often, and the page shows that there is no image.
            return error.kind == .quotaExhausted && error.status == nil ? .postponed : nil
        }
    }
}

/// The validators of a response, with which the host is asked whether it has changed (RFC 9110, 8.8).
struct CacheValidators: Hashable, Sendable {
    var entityTag: String?
    var lastModified: String?
}

extension CacheValidators {
    fileprivate init(of response: HTTPResponse, maximumLength limit: Int) {
        entityTag = response["ETag"].flatMap { $0.utf8.count <= limit ? $0 : nil }
        lastModified = response["Last-Modified"].flatMap { $0.utf8.count <= limit ? $0 : nil }
    }
}
