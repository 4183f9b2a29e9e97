import BoxOffice
public import FoundationEssentials
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
            try KakaoReply.read(response, at: now())
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

// MARK: - Replies

/// A response of the image search: images, or an error in one of two formats.
enum KakaoReply: Decodable {
    case error(KakaoErrorBody)
    case images(Reading<[ImageCandidate]>)

    private enum Key: String, CodingKey {
        case documents
    }

    init(from decoder: any Decoder) throws {
        let reply = try KakaoErrorBody(from: decoder)
        if reply.isError {
            self = .error(reply)
        } else {
            let container = try decoder.container(keyedBy: Key.self)
            let unreadable = UnreadableFields()
            let images = unreadable.values(
                of: try container.decode(ReadableElements<KakaoImage>.self, forKey: .documents))
            for image in images { unreadable.add(image.unreadable) }
            self = .images(Reading(value: images.map(\.candidate), unreadable: unreadable.fields))
        }
    }

    static func read(_ response: HTTPResponse, at instant: Date) throws(UpstreamError) -> Reading<[ImageCandidate]> {
        let service = KakaoImageSearch.service
        let failure = response.failure(of: service, hasFixedPaths: true)
        let reply: KakaoReply
        do {
            reply = try response.decode(of: service)
        } catch {
            throw error.kind == .invalid ? failure ?? error : error
        }
        switch reply {
        case .error(let reply): throw reply.upstreamError(response, at: instant)
        case .images(let images):
            if let failure { throw failure }
            return images
        }
    }
}

/// The fields of a found image that are used; `collection` and `datetime` are ignored.
struct KakaoImage: Decodable {
    let candidate: ImageCandidate
    let unreadable: [UnreadableField]

    private enum Key: String, CodingKey {
        case imageURL = "image_url"
        case thumbnailURL = "thumbnail_url"
        case site = "display_sitename"
        case pageURL = "doc_url"
        case width, height
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let unreadable = UnreadableFields()
        func text(_ key: Key) -> String? {
            let text: String? = unreadable.optional(container, key)
            // One with more bytes than an address may have counts as missing.
            guard let text, text.utf8.count <= 4_096 else { return nil }
            let clean = text.clean
            return clean.isEmpty ? nil : clean
        }
        var size: ImageCandidate.Size?
        let (width, height): (Int?, Int?) = (
            unreadable.optional(container, .width), unreadable.optional(container, .height)
        )
        if let width, let height, width > 0, height > 0 {
            size = ImageCandidate.Size(width: width, height: height)
        }
        candidate = ImageCandidate(
            imageURL: text(.imageURL), thumbnailURL: text(.thumbnailURL), site: text(.site), pageURL: text(.pageURL),
            size: size)
        self.unreadable = unreadable.fields
    }
}

/// An error body in the search's own format (`errorType`, `message`) or the platform's older one (`code`, `msg`).
struct KakaoErrorBody: Decodable {
    let errorType: String?
    let code: Int?
    let message: String?
    let msg: String?

    var isError: Bool { errorType != nil || code != nil }

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

    fileprivate func upstreamError(_ response: HTTPResponse, at instant: Date) -> UpstreamError {
        let service = KakaoImageSearch.service
        let code = errorType?.clean ?? code.map { "\($0)" }
        var error = UpstreamError(
            service: service, kind: kind ?? response.failure(of: service, hasFixedPaths: true)?.kind ?? .invalid,
            message:
                "the service answered with the error \(code ?? ""): \((message ?? msg)?.clean ?? "no reason given")",
            status: response.status, code: code, retryAfter: response.retryAfter)
        // A throttled request (429) can succeed a moment later, and the client retries it. Any other status means that
        // the day's quota is used up.
        if error.kind == .quotaExhausted, !error.isTransient, error.retryAfter == nil {
            error.retryAfter = KoreanDate.timeToMidnight(at: instant)
        }
        return error
    }
}
