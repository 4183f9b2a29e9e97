import Crypto
import FoundationEssentials
import Imaging
import Networking
import Text

/// The properties of an image, read from its bytes.
struct VerifiedImage: Hashable, Sendable {
    /// Time limit for fetching one image.
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

    /// Returns the endpoint that fetches an image from `url`. It fails if the bytes are not an image, whatever the
    /// content type.
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
