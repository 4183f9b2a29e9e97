import FoundationEssentials
import Imaging
import Networking

/// What the bytes of a picture say about it.
struct ImageVerifier: Hashable, Sendable {
    /// The longest that one picture is waited for.
    static let deadline = Duration.seconds(5)
    /// The most that one picture may weigh: posters of 2,000 × 3,000 pixels stay well below.
    static let responseLimit = 10 << 20
    /// The redirects that are followed to it.
    static let redirects = 3
    /// The least that either side must have; hosts count their visitors with pictures of one pixel.
    static let smallestSide = 10

    let width: Int
    let height: Int
    let contentType: String
    let bytes: Int
    let sha256: String

    /// Fetches a picture from `url`, or fails if something else is there, whatever the answer calls it.
    static func endpoint(_ url: String, reach: HTTPRequest.AddressPolicy) -> Endpoint<ImageVerifier> {
        let request = HTTPRequest(
            url, headers: [HTTPField("Accept", "image/jpeg, image/png, image/webp, image/gif")],
            deadline: deadline, responseLimit: responseLimit, redirects: redirects, reach: reach)
        return Endpoint(service: PosterFinder.service, request: request) { response throws(UpstreamError) in
            if var failure = response.failure(of: PosterFinder.service) {
                failure.isTransient = false  // the next candidate is sooner there than a second answer
                throw failure
            }
            return try ImageVerifier(response.body)
        }
    }

    private init(_ body: Data) throws(UpstreamError) {
        guard let header = ImageHeader.read(body), min(header.width, header.height) >= Self.smallestSide else {
            throw UpstreamError(
                service: PosterFinder.service, kind: .invalid,
                message: "answered with \(body.count) bytes that are no poster")
        }
        width = header.width
        height = header.height
        contentType = header.format.contentType
        bytes = body.count
        sha256 = SHA256.hexDigest(of: body)
    }
}
