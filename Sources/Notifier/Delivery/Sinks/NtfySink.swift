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
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { [topic] + (token.map { [$0] } ?? []) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let weight = message.alerts.map(\.severity.weight).max() ?? 0
        let payload = Message(
            topic: topic, title: message.heading(in: language),
            message: message.text(in: language, limit: 4_096, size: { $0.utf8.count }), priority: 3 + min(weight, 1),
            click: message.link(on: board), tags: Set(message.alerts.map(\.rule)).sorted())
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
        let title: String
        let message: String
        let priority: Int
        /// The address that a tap opens.
        let click: String?
        /// The rules.
        let tags: [String]
    }

    private struct Receipt: Decodable {
        let id: String
    }
}
