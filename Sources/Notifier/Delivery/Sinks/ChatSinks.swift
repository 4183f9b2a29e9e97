import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

// MARK: - Slack

/// A Slack channel, by an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks);
/// Mattermost and others accept the same.
///
/// The message is in a block, and as text for notifications and for servers without blocks.
struct SlackSink: HTTPSink {
    static let kind = "slack"
    static let keys = ["url", "urlFile"]

    let url: String

    init?(_ fields: inout SinkFields) {
        guard let url = fields.secretURL() else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let link = message.link.map { "<\($0.escapedForLinkMarkup.escapedForSlack)>" }
        let text = message.text(limit: 35_000, link: link, escape: \.escapedForSlack)
        let heading = "*\(linked(message.heading.cut(to: 200, escape: \.escapedForSlack), message.link))*\n"
        // Slack takes 3,000 characters.
        let body = message.body(limit: 2_900 - heading.utf16.count, escape: \.escapedForSlack) { alert, sentence in
            "• \(linked(sentence, alert.link(on: message.board)))"
        }
        let block = Section(
            text: Section.Text(text: heading + body),
            accessory: message.image.map { Section.Image(url: $0, text: message.heading.cut(to: 200)) })
        return .post(url, body: JSON.encodeInfallibly(Message(text: text, blocks: [block])))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome { response.outcomeOfChat }

    private func linked(_ text: String, _ link: String?) -> String {
        link.map { "<\($0.escapedForLinkMarkup.escapedForSlack)|\(text)>" } ?? text
    }

    private struct Section: Encodable {
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

        let type = "section"
        let text: Text
        let accessory: Image?
    }

    private struct Message: Encodable {
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

// MARK: - Discord

/// A Discord channel, by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
struct DiscordSink: HTTPSink {
    static let kind = "discord"
    static let keys = ["url", "urlFile"]

    let url: String

    init?(_ fields: inout SinkFields) {
        guard let url = fields.secretURL() else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let description = message.body(limit: 4_096, escape: \.escapedForDiscord) { alert, sentence in
            "- " + (alert.link(on: message.board).map { "[\(sentence)](\($0.escapedForLinkMarkup))" } ?? sentence)
        }
        let embed = Embed(
            title: message.heading.cut(to: 256, escape: \.escapedForDiscord), url: message.link,
            description: description, color: message.severity.color, thumbnail: message.image.map { ["url": $0] })
        var request = HTTPRequest.post(url, body: JSON.encodeInfallibly(Content(embeds: [embed])))
        // Without it, Discord answers before it knows whether it can post the message.
        request.query = [HTTPField("wait", "true")]
        return request
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome { response.outcomeOfChat }

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

extension Alert.Severity {
    /// The color of the bar beside an alert, `0xRRGGBB`: red, amber or gray.
    fileprivate var color: Int {
        switch self {
        case .major: 0xD7_26_3D
        case .notable: 0xF2_A9_00
        case .info: 0x7A_86_91
        }
    }
}

// MARK: - Telegram

/// A Telegram chat, by a bot (https://core.telegram.org/bots/api#sendmessage).
///
/// The heading's formatting is in entities beside the text, so that nothing in the text can be markup.
struct TelegramSink: HTTPSink {
    static let kind = "telegram"
    static let keys = ["token", "tokenFile", "chat", "url"]

    let url: String
    /// The bot's token, which is part of the URL of each request.
    let token: String
    let chat: String

    init?(_ fields: inout SinkFields) {
        let (token, chat) = (fields.secret("token"), fields.text("chat"))
        guard let url = fields.url(standard: "https://api.telegram.org"), let token, let chat else { return nil }
        self.url = url
        self.token = token
        self.chat = chat
    }

    func address(in language: Language) -> String {
        "\(url.server), \(language("대화방", "chat")) \(chat)"
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let heading = message.heading.cut(to: 200, escape: \.escapedForTelegram)
        let body = message.body(limit: 4_095 - heading.utf16.count, escape: \.escapedForTelegram)
        let link = message.link.map { Entity(type: "text_link", length: heading.utf16.count, url: $0) }
        let payload = Message(
            chat: chat, text: "\(heading)\n\(body)",
            entities: [Entity(type: "bold", length: heading.utf16.count, url: nil), link].compactMap(\.self),
            preview: Preview(isDisabled: message.image == nil, url: message.image))
        return .post("\(url)/bot\(token)/sendMessage", secrets: [token], body: JSON.encodeInfallibly(payload))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        guard let reply = try? JSON.decode(Reply.self, from: Array(response.body)) else {
            // Not a response of the Bot API, so it says nothing about the message itself.
            return response.outcome == .delivered ? .failed() : response.outcome
        }
        if reply.ok { return .delivered }
        if let pause = reply.parameters?.pause { return .failed(retryAfter: Duration(asked: pause)) }
        return response.outcome == .delivered ? .rejected : response.outcome
    }

    /// A part of the text from its beginning, in UTF-16 code units.
    private struct Entity: Encodable {
        let type: String
        let offset = 0
        let length: Int
        let url: String?
    }

    /// The preview: the poster and nothing else, so that a link in a stranger's name has none.
    private struct Preview: Encodable {
        let isDisabled: Bool
        let url: String?

        enum CodingKeys: String, CodingKey {
            case isDisabled = "is_disabled"
            case url
        }
    }

    private struct Message: Encodable {
        let chat: String
        let text: String
        let entities: [Entity]
        let preview: Preview

        enum CodingKeys: String, CodingKey {
            case chat = "chat_id"
            case text
            case entities
            case preview = "link_preview_options"
        }
    }

    private struct Reply: Decodable {
        struct Parameters: Decodable {
            /// In seconds.
            let pause: Double?

            enum CodingKeys: String, CodingKey {
                case pause = "retry_after"
            }
        }

        let ok: Bool
        let parameters: Parameters?
    }
}
