import FoundationEssentials
import WebServer

/// Plays Kakao's image search: its parameters, key checks and errors.
struct KakaoHandler: Sendable {
    /// The only key that is accepted; nil for any.
    var key: String?
    var repertoire: any MovieCatalog

    static let path = "/v2/search/image"

    /// Answers a search; picture addresses in the answer begin with `base`.
    func answer(_ request: WebRequest, base: String, at instant: Date) -> WebResponse {
        if let refusal = refusal(of: request) { return refusal.response }
        guard let query = request.query("query"), !query.isEmpty else { return KakaoError.missingQuery.response }
        do {
            let page = try number("page", in: 1...50, default: 1, of: request)
            let size = try number("size", in: 1...80, default: 80, of: request)
            let question = ImageQuery(query: query, page: page, size: size)
            return .json(repertoire.images(question, base: base, at: instant))
        } catch {
            return error.fault.response
        }
    }

    /// Whether the request has a key that is accepted: only such calls use up the key's quota.
    func accepts(_ request: WebRequest) -> Bool {
        refusal(of: request) == nil
    }

    private struct Refusal: Error {
        let fault: KakaoError
    }

    private func refusal(of request: WebRequest) -> KakaoError? {
        let words = (request.header("Authorization") ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.first == "KakaoAK" else { return .malformedKey(nil) }
        guard words.count == 2, !words[1].isEmpty else {
            return .malformedKey(words.dropFirst().joined(separator: " "))
        }
        return key.map { $0 == words[1] } ?? true ? nil : .unknownKey
    }

    private func number(
        _ name: String, in range: ClosedRange<Int>, default standard: Int, of request: WebRequest
    ) throws(Refusal) -> Int {
        guard let text = request.query(name) else { return standard }
        guard let number = Int(text), number >= range.lowerBound else {
            throw Refusal(fault: .outOfRange(name, isTooLarge: false))
        }
        guard number <= range.upperBound else { throw Refusal(fault: .outOfRange(name, isTooLarge: true)) }
        return number
    }
}
