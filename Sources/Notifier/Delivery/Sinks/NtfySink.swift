import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

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
        let image = message.image(on: board)
        let payload = Message(
            topic: topic, title: message.heading(in: language).cut(to: 250, size: \.utf8.count),
            message: message.text(in: language, limit: Self.limit, size: Self.size),
            priority: 3 + min(message.severity.weight, 1), click: message.link(on: board),
            icon: message.image(on: board, .small), attach: image, filename: image == nil ? nil : "poster.jpg",
            tags: Set(message.alerts.map(\.rule)).sorted())
        let headers = token.map { [HTTPField("Authorization", "Bearer \($0)", isSecret: true)] } ?? []
        return .post(url, secrets: [], headers: headers, body: try JSON.encode(payload))
    }

    /// The largest size of a text in bytes. A longer one becomes an attachment, which most servers refuse.
    private static let limit = 4_096

    /// Returns a text's size in bytes as JSON, so that the whole request stays within twice the limit, too.
    private static func size(_ text: String) -> Int {
        JSON.encodeInfallibly(text).count - 2
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
        /// The picture beside the notification.
        let icon: String?
        /// The picture in it, which phones fetch themselves.
        let attach: String?
        let filename: String?
        /// The rules.
        let tags: [String]
    }

    private struct Receipt: Decodable {
        let id: String
    }
}
