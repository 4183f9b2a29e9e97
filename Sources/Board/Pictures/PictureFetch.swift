import FoundationEssentials
import Imaging
import Networking

/// Fetches a poster from a stranger's host: within limits of time and size, from the public internet alone unless
/// allowed otherwise, and believed for its bytes.
struct PictureFetch: Sendable {
    private static let service = "poster"
    /// As the worker has them when it proves a poster.
    private static let deadline = Duration.seconds(5)
    private static let responseLimit = 10 << 20
    private static let redirects = 3

    let client: HTTPClient
    let allowsPrivateAddresses: Bool
    /// The beginning of addresses that may be private.
    let trusted: String?

    /// The bytes of the picture at `url`, or nil if there is none.
    func bytes(at url: String) async -> [UInt8]? {
        let isTrusted = trusted.map { url.hasPrefix("\($0)/") } ?? false
        let request = HTTPRequest(
            url, headers: [HTTPField("Accept", "image/jpeg, image/png, image/webp")], deadline: Self.deadline,
            responseLimit: Self.responseLimit, redirects: isTrusted ? 0 : Self.redirects,
            reach: isTrusted || allowsPrivateAddresses ? .anyAddress : .publicAddressesOnly)
        let endpoint = Endpoint<[UInt8]>(service: Self.service, request: request) { response throws(UpstreamError) in
            if let failure = response.failure(of: Self.service) { throw failure }
            return Array(response.body)
        }
        // Why a stranger's host has no picture for us is nobody's business: the page shows that there is none.
        return try? await client.send(endpoint)
    }
}
