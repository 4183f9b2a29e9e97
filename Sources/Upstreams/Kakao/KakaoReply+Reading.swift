import BoxOffice
import FoundationEssentials
import Networking

extension KakaoReply {
    /// Reads an answer of any status.
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
        case .fault(let fault): throw fault.error(response, at: instant)
        case .images(let images):
            if let failure { throw failure }
            return images.map(\.candidate)
        }
    }
}

extension KakaoReplyError {
    /// The error in the words of the networking core.
    fileprivate func error(_ response: HTTPResponse, at instant: Date) -> UpstreamError {
        let service = KakaoImageSearch.service
        let code = errorType?.clean ?? code.map { "\($0)" }
        var error = UpstreamError(
            service: service, kind: kind ?? response.failure(of: service)?.kind ?? .invalid,
            message: "answered with the error \(code ?? ""): \((message ?? msg)?.clean ?? "no reason given")",
            status: response.status, code: code, retryAfter: response.retryAfter)
        // A throttled request (429) may be let through a moment later, and the client tries; what is refused with
        // another status is the day's quota.
        if error.kind == .quotaExhausted, !error.isTransient, error.retryAfter == nil {
            error.retryAfter = KoreanDate.timeToMidnight(at: instant)
        }
        return error
    }
}
