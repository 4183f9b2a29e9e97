import FoundationEssentials
import Networking

/// What the council answers with status 200: what was asked for, or a fault.
///
/// The fault is looked for first, because nothing but the body's top key tells the two apart.
enum KobisReply<Body: Decodable>: Decodable {
    case fault(KobisFault)
    case body(Body)

    private enum FaultKey: String, CodingKey {
        case faultInfo
        case faultResult
    }

    init(from decoder: any Decoder) throws {
        let top = try decoder.container(keyedBy: FaultKey.self)
        for key in [FaultKey.faultInfo, .faultResult] where top.contains(key) {
            self = .fault(try top.decode(KobisFault.self, forKey: key))
            return
        }
        self = .body(try Body(from: decoder))
    }
}

/// What the council says when it refuses.
struct KobisFault: Decodable {
    /// Six digits; nil if none were sent.
    let code: String?
    /// Why, in Korean.
    let message: String

    private enum Key: String, CodingKey {
        case errorCode
        case message
    }

    /// Reads whatever of a fault is there: that it is one is known by where it stands.
    init(from decoder: any Decoder) {
        // No error of these can say more than that the part is missing.
        let container = try? decoder.container(keyedBy: Key.self)
        code =
            (try? container?.decode(String.self, forKey: .errorCode).clean)
            ?? (try? container?.decode(Int.self, forKey: .errorCode)).map(String.init)
        message = (try? container?.decode(String.self, forKey: .message).clean) ?? "no reason given"
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
