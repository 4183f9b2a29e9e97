import BoxOffice
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A response of KOBIS with status 200: the requested body, or an error.
///
/// Only the top-level key distinguishes the two, so the error is tried first.
enum KobisReply<Body: JSONReadable>: JSONReadable {
    case error(KobisErrorReply)
    case body(Body)

    init(json: JSONValue) throws(DecodingError) {
        for key in ["faultInfo", "faultResult"] {
            guard let error = try json[key] else { continue }
            self = .error(KobisErrorReply(error))
            return
        }
        self = .body(try Body(json: json))
    }
}

/// An error body (`faultInfo` or `faultResult`).
struct KobisErrorReply {
    /// The error code of six digits; nil if none was sent.
    let code: String?
    /// The reason, in Korean.
    let message: String

    /// Reads the fields that are present; the key above identifies the object as an error.
    init(_ json: JSONValue) {
        // A decoding error here would say no more than that the field is missing.
        code = (try? json["errorCode"]?.text().clean) ?? (try? json["errorCode"]?.integer()).map(String.init)
        message = (try? json["message"]?.text().clean) ?? "no reason given"
    }

    /// Reads an error in XML; nil if it has no code.
    init?(xml text: String) {
        func element(_ name: String) -> String? {
            guard let start = text.firstRange(of: "<\(name)>")?.upperBound,
                let end = text[start...].firstRange(of: "</\(name)>")?.lowerBound
            else { return nil }
            return String(text[start..<end]).clean
        }
        guard let code = element("errorCode") else { return nil }
        self.code = code
        message = element("message") ?? "no reason given"
    }

    /// The kind of error. KOBIS documents few codes; an unknown one makes the response `invalid`.
    var kind: UpstreamError.Kind {
        switch code {
        case "320010": .unauthorized
        case "320011": .quotaExhausted
        case .some(let code) where code.count == 6 && code.hasPrefix("3201"): .badRequest
        default: .invalid
        }
    }
}

// MARK: - Reading

extension KobisReply {
    /// Reads a response of any status.
    ///
    /// - Throws: The error in the body, `maintenance` for a notice in HTML, the status's error, or `invalid` with the field
    ///   that cannot be read.
    static func read(_ response: HTTPResponse, at instant: Date) throws(UpstreamError) -> Body {
        let failure = response.failure(of: Kobis.service, hasFixedPaths: true)
        let reply: KobisReply
        if response.isXML, let error = KobisErrorReply(xml: String(decoding: response.body, as: UTF8.self)) {
            throw error.upstreamError(status: response.status, at: instant)
        }
        do {
            reply = try response.decode(of: Kobis.service)
        } catch {
            // A notice is maintenance whatever its status; an error status does not need a readable body.
            throw error.kind == .invalid ? failure ?? error.withoutWrapper : error
        }
        switch reply {
        case .error(let reply): throw reply.upstreamError(status: response.status, at: instant)
        case .body(let body):
            if let failure { throw failure }
            return body
        }
    }
}

extension KobisErrorReply {
    /// The error as an `UpstreamError`.
    fileprivate func upstreamError(status: Int, at instant: Date) -> UpstreamError {
        UpstreamError(
            service: Kobis.service, kind: kind,
            message: "the service answered with the error \(code ?? "without a code"): \(message)",
            status: status, code: code,
            retryAfter: kind == .quotaExhausted ? KoreanDate.timeToMidnight(at: instant) : nil)
    }
}

extension UpstreamError {
    /// The error with its field relative to the one key that wraps every response: `dailyBoxOfficeList[3].audiCnt`.
    fileprivate var withoutWrapper: UpstreamError {
        guard let field, let dot = field.firstIndex(of: ".") else { return self }
        var error = self
        error.field = String(field[field.index(after: dot)...])
        return error
    }
}
