import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A topic of ntfy, published as JSON (https://docs.ntfy.sh/publish/#publish-as-json).
struct NtfySink: HTTPSink {
    let client: HTTPClient
    /// The server.
    let url: String
    /// The topic. It is secret: on an open server, it is enough to subscribe.
    let topic: String
    let token: String?
    let language: Language

    var secrets: [String] { [topic] + (token.map { [$0] } ?? []) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let isDigest = message.alerts.count > 1
        let weight = message.alerts.map(\.severity.weight).max() ?? 0
        let payload = Message(
            topic: topic, title: isDigest ? message.title(in: language) : nil,
            message: message.text(in: language, limit: 4_096, size: { $0.utf8.count }), priority: 3 + min(weight, 1))
        let headers = token.map { [HTTPField("Authorization", "Bearer \($0)", isSecret: true)] } ?? []
        return .post(url, secrets: [], headers: headers, body: try JSON.encode(payload))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        guard response.outcome == .delivered else { return response.outcome }
        // A page of a proxy or of another server has no id.
        let receipt = try? JSON.decode(Receipt.self, from: Array(response.body))
        return receipt == nil ? .rejected : .delivered
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
