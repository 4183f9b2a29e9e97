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
        let content = Content(embeds: [embed(of: message)])
        var request = HTTPRequest.post(url, secrets: secrets, body: try JSON.encode(content))
        // Without it, Discord answers before it knows whether it can post the message.
        request.query = [HTTPField("wait", "true")]
        return request
    }

    /// Returns the message as an embed, within the limits of its title (256) and description (4,096).
    private func embed(of message: SinkMessage) -> Embed {
        let limit = 4_096
        let description =
            message.alerts.count == 1
            ? message.title(in: language).cut(to: limit, escape: \.escapedForDiscord)
            : message.lines(in: language, limit: limit) { alert in
                let sentence = alert.sentence(in: language).cut(to: 500, escape: \.escapedForDiscord)
                return "- " + (alert.link(on: board).map { "[\(sentence)](\($0.escapedForLinkMarkup))" } ?? sentence)
            }.joined(separator: "\n")
        return Embed(
            title: message.heading(in: language).cut(to: 256, escape: \.escapedForDiscord),
            url: message.link(on: board), description: description, color: Self.color(of: message.severity),
            thumbnail: message.image(on: board).map { ["url": $0] })
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        response.outcomeOfChat
    }

    /// Returns the color of the bar beside a message: red, amber or gray.
    private static func color(of severity: Alert.Severity) -> Int {
        switch severity {
        case .major: 0xD7_26_3D
        case .notable: 0xF2_A9_00
        case .info: 0x7A_86_91
        }
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
