import FoundationEssentials
import Networking
import Text

/// Reads the service's replies: JSON, plain text, Spring's errors, and HTML pages.
enum OpenMarketReply {
    private struct SpringError: Decodable {
        let code: Int?
        let status: Int?
        let message: String?
        let error: String?
    }

    /// Decodes a response of any status as JSON; throws if it is an error.
    static func read<Value: Decodable>(
        _ type: Value.Type, from response: HTTPResponse
    ) throws(UpstreamError) -> Value {
        try throwIfFailed(response)
        return try response.decode(of: OpenMarketAPI.service)
    }

    /// Reads a response of plain text; throws if it is an error, HTML or JSON.
    static func text(of response: HTTPResponse) throws(UpstreamError) -> String {
        try throwIfFailed(response)
        let bytes = response.body.prefix(4_096)
        let text = String(validating: bytes, as: UTF8.self)?.trimmed ?? ""
        guard !text.isEmpty, !text.hasPrefix("{") else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid, message: "the response is not plain text",
                status: response.status)
        }
        // Some replies put the text in quotes, like JSON.
        return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : text
    }

    /// Throws if the response is an error, or a notice in HTML.
    static func throwIfFailed(_ response: HTTPResponse) throws(UpstreamError) {
        let service = OpenMarketAPI.service
        // Plain text is often labelled as HTML.
        if response.isMarkup, response.mayBeNotice {
            throw UpstreamError(
                service: service, kind: .maintenance,
                message: "the service answered \(response.status) with an HTML page instead of data",
                status: response.status)
        }
        guard var failure = response.failure(of: service) else { return }
        // A body that is not Spring's error object adds nothing to the status; neither does one that is long.
        if response.body.count <= 64 << 10, let error = try? JSONDecoder().decode(SpringError.self, from: response.body)
        {
            failure.code = (error.code ?? error.status).map(String.init)
            if let reason = error.message ?? error.error {
                failure.message += ": \(String(reason.clean.prefix(300)))"
            }
        }
        throw failure
    }
}
