import BoxOffice
import FoundationEssentials
import Networking
import Text

/// A response of the image search: images, or an error in one of two formats.
enum KakaoReply: Decodable {
    case error(KakaoErrorReply)
    case images([KakaoImage])

    private enum Key: String, CodingKey {
        case documents
    }

    init(from decoder: any Decoder) throws {
        let reply = try KakaoErrorReply(from: decoder)
        if reply.isError {
            self = .error(reply)
        } else {
            self = .images(try decoder.container(keyedBy: Key.self).decode([KakaoImage].self, forKey: .documents))
        }
    }
}

/// The fields of a found image that are used. `collection` is ignored, and values of unknown forms count as none, so that
/// they break nothing.
struct KakaoImage: Decodable {
    let candidate: ImageCandidate

    private enum Key: String, CodingKey {
        case imageURL = "image_url"
        case thumbnailURL = "thumbnail_url"
        case site = "display_sitename"
        case pageURL = "doc_url"
        case width
        case height
        case datetime
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) throws -> String? {
            try container.decodeIfPresent(TrimmedText.self, forKey: key)?.value
        }
        // The sizes and the time only help to choose: an image without them is still an image.
        func number(_ key: Key) -> Int? { (try? container.decodeIfPresent(Int.self, forKey: key)) ?? nil }
        var size: ImageCandidate.Size?
        if let width = number(.width), let height = number(.height), width > 0, height > 0 {
            size = ImageCandidate.Size(width: width, height: height)
        }
        let datetime = (try? container.decodeIfPresent(String.self, forKey: .datetime)) ?? nil
        candidate = ImageCandidate(
            imageURL: try text(.imageURL), thumbnailURL: try text(.thumbnailURL), site: try text(.site),
            pageURL: try text(.pageURL), size: size, year: datetime.flatMap { Int($0.prefix(4)) })
    }
}

/// An error body in the search's own format (`errorType`, `message`) or the platform's older one (`code`, `msg`).
struct KakaoErrorReply: Decodable {
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
    static func read(_ response: HTTPResponse, at instant: Date) throws(UpstreamError) -> [ImageCandidate] {
        let service = KakaoImageSearch.service
        let failure = response.failure(of: service)
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
            return images.map(\.candidate)
        }
    }
}

extension KakaoErrorReply {
    /// The error as an `UpstreamError`.
    fileprivate func upstreamError(_ response: HTTPResponse, at instant: Date) -> UpstreamError {
        let service = KakaoImageSearch.service
        let code = errorType?.clean ?? code.map { "\($0)" }
        var error = UpstreamError(
            service: service, kind: kind ?? response.failure(of: service)?.kind ?? .invalid,
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
