import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Discord channel, by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
struct DiscordSink: HTTPSink {
    let client: HTTPClient
    let url: String
    let language: Language
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { HTTPRequest.secrets(of: url) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let link = message.link(on: board).map { "<\($0)>" }
        let text = message.text(in: language, limit: 2_000, link: link, escape: \.escapedForDiscord)
        let content = Content(content: text)
        var request = HTTPRequest.post(url, secrets: secrets, body: try JSON.encode(content))
        // Without it, Discord answers before it knows whether it can post the message.
        request.query = [HTTPField("wait", "true")]
        return request
    }

    private struct Content: Encodable {
        let content: String
        /// No mentions: a title with an @ notifies no one.
        let mentions = ["parse": [String]()]
        /// `SUPPRESS_EMBEDS`: a link in a stranger's name gets no preview.
        let flags = 1 << 2

        enum CodingKeys: String, CodingKey {
            case content
            case mentions = "allowed_mentions"
            case flags
        }
    }
}
