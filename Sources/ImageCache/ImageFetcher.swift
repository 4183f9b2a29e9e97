import FoundationEssentials
public import Networking

/// Fetches a picture from a stranger's host: within limits of time and size, from the public internet alone unless
/// allowed otherwise, and believed for its bytes.
public struct ImageFetcher: Sendable {
    /// What a visit to a picture's host has led to.
    enum ImageFetchResult: Sendable {
        /// A file, whatever it is, and what it can be recognized by.
        case bytes([UInt8], CacheValidators)
        /// The picture is still the one that was known.
        case unchanged
    }

    private static let service = "picture"
    /// As the worker has them when it proves a poster.
    private static let deadline = Duration.seconds(5)
    private static let responseLimit = 10 << 20
    private static let redirects = 3
    /// The longest address that is fetched, and the longest validator that is kept.
    private static let longestText = 2_048

    private let client: HTTPClient
    private let allowsPrivateAddresses: Bool
    private let trusted: String?

    /// Fetches through `client`; addresses below `trusted`, such as the sandbox's, may be private whatever is allowed.
    public init(client: HTTPClient, allowsPrivateAddresses: Bool = false, trusted: String? = nil) {
        self.client = client
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.trusted = trusted
    }

    /// Visits the picture at `url`, of which a version with these validators is known; nil if there is none.
    func visit(_ url: String, known: CacheValidators?) async -> ImageFetchResult? {
        guard url.utf8.count <= Self.longestText else { return nil }
        let isTrusted = trusted.map { url.hasPrefix("\($0)/") } ?? false
        var headers = [HTTPField("Accept", "image/jpeg, image/png, image/webp")]
        if let tag = known?.entityTag { headers.append(HTTPField("If-None-Match", tag)) }
        if let date = known?.lastModified { headers.append(HTTPField("If-Modified-Since", date)) }
        let isConditional = headers.count > 1
        let request = HTTPRequest(
            url, headers: headers, deadline: Self.deadline, responseLimit: Self.responseLimit,
            redirects: isTrusted ? 0 : Self.redirects,
            addressPolicy: isTrusted || allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly)
        let endpoint = Endpoint<ImageFetchResult>(service: Self.service, request: request) {
            response throws(UpstreamError) in
            if isConditional, response.status == 304 { return .unchanged }
            if let failure = response.failure(of: Self.service) { throw failure }
            return .bytes(Array(response.body), CacheValidators(of: response, upTo: Self.longestText))
        }
        // Why a stranger's host has no picture for us is nobody's business: the page shows that there is none.
        return try? await client.send(endpoint)
    }
}

extension CacheValidators {
    fileprivate init(of response: HTTPResponse, upTo limit: Int) {
        entityTag = response["ETag"].flatMap { $0.utf8.count <= limit ? $0 : nil }
        lastModified = response["Last-Modified"].flatMap { $0.utf8.count <= limit ? $0 : nil }
    }
}
