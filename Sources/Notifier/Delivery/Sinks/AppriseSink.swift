import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// An Apprise API server, which forwards messages to a hundred services (https://github.com/caronc/apprise-api).
struct AppriseSink: HTTPSink {
    let client: HTTPClient
    /// The URL to post to: `…/notify/KEY` for a configuration on the server, or `…/notify` with `urls`.
    let url: String
    /// The services to forward to, if the server has no configuration.
    let urls: String?
    /// The tags of the configuration's services to forward to.
    let tag: String?
    let language: Language
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { HTTPRequest.secrets(of: url) + (urls.map { [$0] } ?? []) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let payload = Message(
            title: message.heading(in: language).cut(to: 200),
            body: message.text(in: language, limit: 30_000, link: message.link(on: board)),
            attach: message.image(on: board), urls: urls, tag: tag)
        return .post(
            url, secrets: secrets, headers: [HTTPField("Accept", "application/json")], body: try JSON.encode(payload))
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
        /// The URL of a picture, which the server fetches and attaches.
        let attach: String?
        let urls: String?
        let tag: String?
    }
}
