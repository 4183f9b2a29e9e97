import FoundationEssentials
import Networking

/// What the market answers besides what was asked for: Spring's errors, pages for people, plain text.
enum OpenMarketReply {
    /// Spring's error object.
    private struct SpringError: Decodable {
        let code: Int?
        let status: Int?
        let message: String?
        let error: String?
    }

    /// Reads an answer of any status as JSON.
    static func read<Value: Decodable>(
        _ type: Value.Type, from response: HTTPResponse
    ) throws(UpstreamError) -> Value {
        try refuse(response)
        return try response.decode(of: OpenMarketAPI.service)
    }

    /// Reads an answer that is a word of plain text; a page or JSON in its place is none.
    static func text(of response: HTTPResponse) throws(UpstreamError) -> String {
        try refuse(response)
        let bytes = response.body.prefix(4_096)
        let text = String(validating: bytes, as: UTF8.self)?.trimmed ?? ""
        guard !text.isEmpty, !text.hasPrefix("{") else {
            throw UpstreamError(
                service: OpenMarketAPI.service, kind: .invalid, message: "the answer is no plain text",
                status: response.status)
        }
        // Some answers put a text in quotes, as JSON does.
        return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : text
    }

    /// Throws if the answer is a refusal, or a page for people with whatever status.
    static func refuse(_ response: HTTPResponse) throws(UpstreamError) {
        let service = OpenMarketAPI.service
        if response.isHTML {
            if let failure = response.failure(of: service),
                [.notFound, .unauthorized, .forbidden].contains(failure.kind)
            {
                throw failure
            }
            throw UpstreamError(
                service: service, kind: .maintenance,
                message: "answered \(response.status) with a page instead of data", status: response.status)
        }
        guard var failure = response.failure(of: service) else { return }
        // What is no error object of Spring's says nothing beyond its status.
        if let error = try? JSONDecoder().decode(SpringError.self, from: response.body) {
            failure.code = (error.code ?? error.status).map(String.init)
            if let reason = error.message ?? error.error {
                failure.message += ": \(String(reason.clean.prefix(300)))"
            }
        }
        throw failure
    }
}
