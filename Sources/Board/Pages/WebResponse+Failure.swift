import Contract
import JSONCoding
import WebServer

extension WebResponse {
    /// The contract's error object with a fitting status.
    static func failure(_ failure: ContractError) -> WebResponse {
        let status =
            switch failure.code {
            case .badRequest, .dateOutOfRange: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .conflict: 409
            case .notFound, .notPublished: 404
            case .overloaded, .quotaExhausted: 429
            case .internal: 500
            default: 503
            }
        // A failure is text and numbers, which always have JSON.
        var response = WebResponse.json((try? JSON.encode(failure)) ?? [], status: status)
        response.headers.append(("Cache-Control", "no-store"))
        if let seconds = failure.retryAfter { response.headers.append(("Retry-After", "\(seconds)")) }
        return response
    }
}
