import BoxOffice
import FoundationEssentials
import Networking

extension KobisReply {
    /// Reads an answer of any status: its body, or the fault, the page or the broken field in its place.
    static func read(_ response: HTTPResponse, at instant: Date) throws(UpstreamError) -> Body {
        let failure = response.failure(of: Kobis.service)
        let reply: KobisReply
        do {
            reply = try response.decode(of: Kobis.service)
        } catch {
            // A page is maintenance with any status; a status that says no needs no body to be believed.
            throw error.kind == .invalid ? failure ?? error.withoutWrapper : error
        }
        switch reply {
        case .fault(let fault): throw fault.error(status: response.status, at: instant)
        case .body(let body):
            if let failure { throw failure }
            return body
        }
    }
}

extension KobisReplyError {
    /// The fault in the words of the networking core.
    fileprivate func error(status: Int, at instant: Date) -> UpstreamError {
        UpstreamError(
            service: Kobis.service, kind: kind,
            message: "answered with the fault \(code ?? "without a code"): \(message)",
            status: status, code: code,
            retryAfter: kind == .quotaExhausted ? KoreanDate.timeToMidnight(at: instant) : nil)
    }
}

extension UpstreamError {
    /// The error with its field named from inside the one key that wraps every answer: `dailyBoxOfficeList[3].audiCnt`.
    fileprivate var withoutWrapper: UpstreamError {
        guard let field, let dot = field.firstIndex(of: ".") else { return self }
        var error = self
        error.field = String(field[field.index(after: dot)...])
        return error
    }
}
