import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Slack channel, by an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks);
/// Mattermost and others accept the same.
///
/// The message is in blocks, and as text for notifications and for servers without blocks.
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
        return .post(url, body: try JSON.encode(Message(text: text, blocks: blocks(of: message))))
    }

    /// The largest number of characters in a section; Slack takes 3,000.
    private static let sectionLimit = 2_900
    /// The largest number of characters in all sections. Slack refuses blocks of 13,000 characters, which is not documented
    /// (https://github.com/slackapi/bolt-js/issues/2509).
    private static let limit = 9_000

    /// Returns sections of linked sentences, the first one with the poster beside it.
    private func blocks(of message: SinkMessage) -> [Message.Section] {
        let heading = "*\(linked(message.heading.cut(to: 200, escape: \.escapedForSlack), message.link))*"
        guard message.alerts.count > 1 else {
            let room = Self.sectionLimit - heading.utf16.count - 1
            let sentence = message.title.cut(to: room, escape: \.escapedForSlack)
            return [section("\(heading)\n\(sentence)", of: message)]
        }
        let lines = message.lines(limit: Self.limit) { alert in
            let sentence = alert.sentence(in: message.language).cut(to: 500, escape: \.escapedForSlack)
            return "• \(linked(sentence, alert.link(on: message.board)))"
        }
        var texts = [heading]
        for line in lines {
            if texts[texts.count - 1].utf16.count + 1 + line.utf16.count <= Self.sectionLimit {
                texts[texts.count - 1] += "\n\(line)"
            } else {
                texts.append(line)
            }
        }
        return texts.enumerated().map { section($1, of: $0 == 0 ? message : nil) }
    }

    /// Returns a section; `message` is the one whose image stands beside it.
    private func section(_ text: String, of message: SinkMessage?) -> Message.Section {
        let image = message.flatMap { message in
            message.image().map { Message.Image(url: $0, text: message.imageTitle) }
        }
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
