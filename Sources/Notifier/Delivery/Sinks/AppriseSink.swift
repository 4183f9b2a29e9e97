import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// An Apprise API server, which forwards messages to a hundred services (https://github.com/caronc/apprise-api).
struct AppriseSink: HTTPSink {
    static let kind = "apprise"
    static let keys = ["url", "urlFile", "urls", "urlsFile", "tag"]

    /// The URL to post to: `…/notify/KEY` for a configuration on the server, or `…/notify` with `urls`.
    let url: String
    let urls: String?
    let tag: String?

    init?(_ fields: inout SinkFields) {
        let url = fields.secretURL()
        urls = fields.secret("urls", isNeeded: false)
        tag = fields.text("tag", isNeeded: false)
        guard let url else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let payload = Message(
            title: message.heading.cut(to: 200),
            body: message.text(limit: 30_000, link: message.link),
            attach: message.image(), urls: urls, tag: tag)
        return .post(url, headers: [HTTPField("Accept", "application/json")], body: try JSON.encode(payload))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        switch response.status {
        // The server has no configuration of that key and forwarded nothing.
        case 204: .rejected
        // At least one service failed.
        case 424: .failed()
        default: response.outcome
        }
    }

    private struct Message: Encodable {
        let title: String
        let body: String
        let type = "info"
        let format = "text"
        /// The URL of an image, which the server fetches and attaches.
        let attach: String?
        let urls: String?
        let tag: String?
    }
}
