import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A topic of ntfy, published as JSON (https://docs.ntfy.sh/publish/#publish-as-json).
struct NtfySink: HTTPSink {
    let client: HTTPClient
    /// The server.
    let url: String
    /// The topic: on an open server it is all that one needs to listen.
    let topic: String
    let token: String?
    let language: Language

    var secrets: [String] { [topic] + (token.map { [$0] } ?? []) }

    func request(for letter: SinkMessage, at now: Date) throws -> HTTPRequest {
        let isDigest = letter.alerts.count > 1
        let weight = letter.alerts.map(\.severity.weight).max() ?? 0
        let message = Message(
            topic: topic, title: isDigest ? letter.title(in: language) : nil,
            message: letter.text(in: language, limit: 4_096) { $0.utf8.count }, priority: 3 + min(weight, 1))
        let headers = token.map { [HTTPField("Authorization", "Bearer \($0)", isSecret: true)] } ?? []
        return .post(url, secrets: [], headers: headers, body: try JSON.encode(message))
    }

    func judge(_ response: HTTPResponse) -> SinkResponse.Outcome {
        guard response.verdict == .taken else { return response.verdict }
        // A page of a proxy's, or of whatever else lives at the address, has no id.
        let receipt = try? JSON.decode(Receipt.self, from: Array(response.body))
        return receipt == nil ? .refused : .taken
    }

    private struct Message: Encodable {
        let topic: String
        let title: String?
        let message: String
        let priority: Int
    }

    private struct Receipt: Decodable {
        let id: String
    }
}
