import JSONCoding
import Networking

/// What the council answers with status 200: what was asked for, or a fault.
///
/// The fault is looked for first, because nothing but the body's top key tells the two apart.
enum KobisReply<Body: JSONReadable>: JSONReadable {
    case fault(KobisReplyError)
    case body(Body)

    init(json: JSONValue) throws(DecodingError) {
        for key in ["faultInfo", "faultResult"] where try json.has(key) {
            self = .fault(KobisReplyError(try json.value(key)))
            return
        }
        self = .body(try Body(json: json))
    }
}

/// What the council says when it refuses.
struct KobisReplyError {
    /// Six digits; nil if none were sent.
    let code: String?
    /// Why, in Korean.
    let message: String

    /// Reads whatever of a fault is there: that it is one is known by where it stands.
    init(_ json: JSONValue) {
        // No error of these can say more than that the part is missing.
        code = (try? json["errorCode"]?.text().clean) ?? (try? json["errorCode"]?.integer()).map(String.init)
        message = (try? json["message"]?.text().clean) ?? "no reason given"
    }

    /// What the code means. Few codes are known; one that is not is no answer that we can work with.
    var kind: UpstreamError.Kind {
        switch code {
        case "320010": .unauthorized
        case "320011": .quotaExhausted
        case .some(let code) where code.count == 6 && code.hasPrefix("3201"): .badRequest
        default: .invalid
        }
    }
}
