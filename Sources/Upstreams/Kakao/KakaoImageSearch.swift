import BoxOffice
public import FoundationEssentials
import JSONCoding
public import Networking
import Text

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

    /// Creates the API at a base URL, which is without the path of a call; the time to the next day's quota follows from
    /// `now`.
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
            try response.reading(of: Self.service) { json throws(DecodingError) in
                try KakaoErrorBody(json)?.upstreamError(response, at: now())
            } value: { json, unreadable throws(DecodingError) in
                func candidate(_ hit: JSONValue) -> ImageCandidate? {
                    unreadable.optional(try ImageCandidate(hit, unreadable))
                }
                return .success(try json.value("documents").elements().compactMap(candidate))
            }
        }
    }
}

// MARK: - Result

/// An image found by the search. Its URL comes from an untrusted source and may be dead, wrong or hostile.
public struct ImageCandidate: Hashable, Sendable {
    var imageURL: String?
    var thumbnailURL: String?
    var site: String?
    var pageURL: String?
    /// The image's width and height as the search gives them, which need not be true.
    var size: Size?

    struct Size: Hashable {
        let width: Int
        let height: Int
    }
}

extension ImageCandidate {
    /// Reads the fields of a hit that are used; `collection` and `datetime` are ignored.
    fileprivate init(_ hit: JSONValue, _ unreadable: UnreadableFields) throws(DecodingError) {
        _ = try hit["image_url"]  // What is no object is no hit.
        func text(_ name: String) -> String? {
            // One with more bytes than an address may have counts as missing.
            guard let text = unreadable.optional(try hit[name]?.text()), text.utf8.count <= 4_096 else { return nil }
            let clean = text.clean
            return clean.isEmpty ? nil : clean
        }
        (imageURL, thumbnailURL) = (text("image_url"), text("thumbnail_url"))
        (site, pageURL) = (text("display_sitename"), text("doc_url"))
        let width = unreadable.optional(try hit["width"]?.integer())
        let height = unreadable.optional(try hit["height"]?.integer())
        if let width, let height, width > 0, height > 0 { size = Size(width: width, height: height) }
    }
}

// MARK: - Errors

/// An error body in the search's own format (`errorType`, `message`) or the platform's older one (`code`, `msg`).
private struct KakaoErrorBody {
    let errorType: String?
    let code: Int?
    let message: String?

    /// Reads a body; nil if it is no error.
    init?(_ json: JSONValue) throws(DecodingError) {
        errorType = try json["errorType"]?.text()
        code = try json["code"]?.integer()
        let (message, msg) = (try json["message"]?.text(), try json["msg"]?.text())
        self.message = message ?? msg
        if errorType == nil, code == nil { return nil }
    }

    /// The kind of error; nil if only the HTTP status shows it.
    var kind: UpstreamError.Kind? {
        switch errorType {
        case "MissingParameter", "InvalidArgument": return .badRequest
        case "AccessDeniedError": return .unauthorized
        case "NotAuthorizedError": return .forbidden
        case "RequestThrottled": return .quotaExhausted
        default: break
        }
        switch code {
        case -1: return .unavailable
        case -2: return .badRequest
        case -3, -4, -5: return .forbidden  // API disabled, account restricted, no permission
        case -7, -9798: return .maintenance
        case -10: return .quotaExhausted
        case -401: return .unauthorized
        case -603: return .timeout
        default: return nil
        }
    }

    func upstreamError(_ response: HTTPResponse, at instant: Date) -> UpstreamError {
        let service = KakaoImageSearch.service
        let code = errorType?.clean ?? code.map { "\($0)" }
        var error = UpstreamError(
            service: service, kind: kind ?? response.failure(of: service, hasFixedPaths: true)?.kind ?? .invalid,
            message: "the service answered with the error \(code ?? ""): \(message?.clean ?? "no reason given")",
            status: response.status, code: code, retryAfter: response.retryAfter)
        // A throttled request (429) can succeed a moment later, and the client retries it. Any other status means that
        // the day's quota is used up.
        if error.kind == .quotaExhausted, !error.isTransient, error.retryAfter == nil {
            error.retryAfter = KoreanDate.timeToMidnight(at: instant)
        }
        return error
    }
}
