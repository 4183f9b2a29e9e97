import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Discord channel, by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
struct DiscordSink: HTTPSink {
    static let kind = "discord"
    static let keys = ["url", "urlFile"]

    let url: String

    init?(_ fields: inout SinkFields) {
        guard let url = fields.secretURL() else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let content = Content(embeds: [embed(of: message)])
        var request = HTTPRequest.post(url, body: try JSON.encode(content))
        // Without it, Discord answers before it knows whether it can post the message.
        request.query = [HTTPField("wait", "true")]
        return request
    }

    /// Returns the message as an embed, within the limits of its title (256) and description (4,096).
    private func embed(of message: SinkMessage) -> Embed {
        let limit = 4_096
        let description =
            message.alerts.count == 1
            ? message.title.cut(to: limit, escape: \.escapedForDiscord)
            : message.lines(limit: limit) { alert in
                let sentence = alert.sentence(in: message.language).cut(to: 500, escape: \.escapedForDiscord)
                let link = alert.link(on: message.board)?.escapedForLinkMarkup
                return "- " + (link.map { "[\(sentence)](\($0))" } ?? sentence)
            }.joined(separator: "\n")
        return Embed(
            title: message.heading.cut(to: 256, escape: \.escapedForDiscord),
            url: message.link, description: description, color: message.severity.color,
            thumbnail: message.image().map { ["url": $0] })
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        response.outcomeOfChat
    }

    /// A message without text of its own: links in the description of an embed have no previews.
    private struct Content: Encodable {
        let embeds: [Embed]
        /// No mentions: a title with an @ notifies no one.
        let mentions = ["parse": [String]()]

        enum CodingKeys: String, CodingKey {
            case embeds
            case mentions = "allowed_mentions"
        }
    }

    private struct Embed: Encodable {
        let title: String
        let url: String?
        let description: String
        let color: Int
        let thumbnail: [String: String]?
    }
}
