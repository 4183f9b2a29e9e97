import FoundationEssentials
import Networking

/// What the image search answers: pictures, or an error in one of two styles.
enum KakaoReply: Decodable {
    case fault(KakaoReplyError)
    case images([KakaoImage])

    private enum Key: String, CodingKey {
        case documents
    }

    init(from decoder: any Decoder) throws {
        let fault = try KakaoReplyError(from: decoder)
        if fault.isFault {
            self = .fault(fault)
        } else {
            self = .images(try decoder.container(keyedBy: Key.self).decode([KakaoImage].self, forKey: .documents))
        }
    }
}

/// What of a proposed picture is used. The rest (`collection`, `datetime`, the sizes) is not even looked at: new words
/// and blanks in it break nothing, and its sizes need not be the picture's.
struct KakaoImage: Decodable {
    let imageURL: TrimmedText?
    let thumbnailURL: TrimmedText?
    let site: TrimmedText?
    let pageURL: TrimmedText?

    private enum CodingKeys: String, CodingKey {
        case imageURL = "image_url"
        case thumbnailURL = "thumbnail_url"
        case site = "display_sitename"
        case pageURL = "doc_url"
    }

    var candidate: ImageCandidate {
        ImageCandidate(
            imageURL: imageURL?.value, thumbnailURL: thumbnailURL?.value, site: site?.value, pageURL: pageURL?.value)
    }
}

/// What the service says when it refuses: the search's own style (`errorType`, `message`) or the platform's older one
/// (`code`, `msg`).
struct KakaoReplyError: Decodable {
    let errorType: String?
    let code: Int?
    let message: String?
    let msg: String?

    var isFault: Bool { errorType != nil || code != nil }

    /// What the error means; nil if only the status can tell.
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
        case -3, -4, -5: return .forbidden  // not switched on, the account is restricted, no permission
        case -7, -9798: return .maintenance
        case -10: return .quotaExhausted
        case -401: return .unauthorized
        case -603: return .timeout
        default: return nil
        }
    }
}
