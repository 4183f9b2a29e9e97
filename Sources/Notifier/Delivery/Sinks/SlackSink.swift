import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Slack channel, by an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks);
/// Mattermost and others accept the same.
struct SlackSink: HTTPSink {
    let client: HTTPClient
    let url: String
    let language: Language
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { HTTPRequest.secrets(of: url) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let link = message.link(on: board).map { "<\($0.escapedForSlack)>" }
        let text = message.text(in: language, limit: 35_000, link: link, escape: \.escapedForSlack)
        return .post(url, secrets: secrets, body: try JSON.encode(Message(text: text)))
    }

    private struct Message: Encodable {
        let text: String
        /// A link in a stranger's name gets no preview.
        let unfurlsLinks = false
        let unfurlsMedia = false

        enum CodingKeys: String, CodingKey {
            case text
            case unfurlsLinks = "unfurl_links"
            case unfurlsMedia = "unfurl_media"
        }
    }
}
