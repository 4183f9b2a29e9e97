import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Slack channel, by an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). The
/// message is in a block, and as text for notifications and for servers without blocks.
struct SlackSink: HTTPSink {
    static let kind = "slack"
    static let keys = ["url", "urlFile"]

    let url: String

    init?(_ fields: inout SinkFields) {
        guard let url = fields.secretURL() else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let link = message.link.map { "<\($0.escapedForLinkMarkup.escapedForSlack)>" }
        let text = message.text(limit: 35_000, link: link, escape: \.escapedForSlack)
        return .post(url, body: try JSON.encode(Message(text: text, blocks: [section(of: message)])))
    }

    /// The largest number of characters in a section; Slack takes 3,000.
    private static let limit = 2_900

    /// Returns a linked heading above linked sentences, with the poster beside them.
    private func section(of message: SinkMessage) -> Message.Section {
        let heading = "*\(linked(message.heading.cut(to: 200, escape: \.escapedForSlack), message.link))*"
        let room = Self.limit - heading.utf16.count - 1
        let lines =
            message.alerts.count == 1
            ? [message.title.cut(to: room, escape: \.escapedForSlack)]
            : message.lines(limit: room) { alert in
                let sentence = alert.sentence(in: message.language).cut(to: 500, escape: \.escapedForSlack)
                return "• \(linked(sentence, alert.link(on: message.board)))"
            }
        let image = message.image().map { Message.Image(url: $0, text: message.heading) }
        let text = ([heading] + lines).joined(separator: "\n")
        return Message.Section(text: Message.Text(text: text), accessory: image)
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        response.outcomeOfChat
    }

    private func linked(_ text: String, _ link: String?) -> String {
        link.map { "<\($0.escapedForLinkMarkup.escapedForSlack)|\(text)>" } ?? text
    }

    private struct Message: Encodable {
        struct Text: Encodable {
            let type = "mrkdwn"
            let text: String
            /// What looks like a link or a name in a stranger's text stays text.
            let verbatim = true
        }

        struct Image: Encodable {
            let type = "image"
            let url: String
            let text: String

            enum CodingKeys: String, CodingKey {
                case type
                case url = "image_url"
                case text = "alt_text"
            }
        }

        struct Section: Encodable {
            let type = "section"
            let text: Text
            let accessory: Image?
        }

        let text: String
        let blocks: [Section]
        /// A link in a stranger's name gets no preview.
        let unfurlsLinks = false
        let unfurlsMedia = false

        enum CodingKeys: String, CodingKey {
            case text
            case blocks
            case unfurlsLinks = "unfurl_links"
            case unfurlsMedia = "unfurl_media"
        }
    }
}
