import BoxOffice
import FoundationEssentials
import Networking
import Text

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
        case width
        case height
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let unreadable = UnreadableFields()
        func text(_ key: Key) -> String? {
            let text: TrimmedText? = unreadable.optional(container, key)
            return text?.value
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

/// Text without surrounding white space, control characters and invisible marks; nil if nothing is left, or if it has
/// more bytes than an address may have.
private struct TrimmedText: Decodable {
    let value: String?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let clean = text.utf8.count <= 4_096 ? text.clean : ""
        value = clean.isEmpty ? nil : clean
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
}

// MARK: - Reading

extension KakaoReply {
    /// Reads a response of any status.
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

extension KakaoErrorBody {
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
