import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Telegram chat, by a bot (https://core.telegram.org/bots/api#sendmessage).
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
        "\(url.server), \(language == .ko ? "대화방" : "chat") \(chat)"
    }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        var text = FormattedText()
        text.append(
            message.heading.cut(to: 200, escape: \.escapedForTelegram), link: message.link, isBold: true)
        let room = Self.limit - text.size
        if message.alerts.count == 1 {
            text.append("\n")
            text.append(message.title.cut(to: room - 1, escape: \.escapedForTelegram))
        } else {
            let lines = message.lines(limit: room, count: Self.maximumLinks) { alert in
                "· " + alert.sentence(in: message.language).cut(to: 500, escape: \.escapedForTelegram)
            }
            for (index, line) in lines.enumerated() {
                text.append("\n")
                // The last line may be no alert, but says how many are left out.
                let isAlert =
                    index < message.alerts.count && (index < lines.count - 1 || lines.count == message.alerts.count)
                text.append(line, link: isAlert ? message.alerts[index].link(on: message.board) : nil)
            }
        }
        let payload = Message(
            chat: chat, text: text.text, entities: text.entities, preview: Preview(url: message.image()))
        return .post("\(url)/bot\(token)/sendMessage", secrets: [token], body: try JSON.encode(payload))
    }

    /// The largest number of UTF-16 code units in a text.
    private static let limit = 4_096
    /// The largest number of links in a digest: Telegram ignores entities beyond a hundred.
    private static let maximumLinks = 95

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        guard let reply = try? JSON.decode(Reply.self, from: Array(response.body)) else {
            // Not a response of the Bot API, so it says nothing about the message itself.
            return response.outcome == .delivered ? .failed() : response.outcome
        }
        if reply.ok { return .delivered }
        return response.outcome == .delivered ? .rejected : response.outcome
    }

    /// A text with its formatting beside it, so that nothing in the text can be markup.
    private struct FormattedText {
        private(set) var text = ""
        private(set) var entities: [Entity] = []

        var size: Int { text.utf16.count }

        mutating func append(_ piece: String, link: String? = nil, isBold: Bool = false) {
            let (offset, length) = (size, piece.utf16.count)
            text += piece
            if isBold { entities.append(Entity(type: "bold", offset: offset, length: length, url: nil)) }
            if let link { entities.append(Entity(type: "text_link", offset: offset, length: length, url: link)) }
        }
    }

    /// A part of the text, in UTF-16 code units.
    private struct Entity: Encodable {
        let type: String
        let offset: Int
        let length: Int
        let url: String?
    }

    /// The preview: the poster and nothing else, so that a link in a stranger's name has none.
    private struct Preview: Encodable {
        let isDisabled: Bool
        let url: String?
        let isSmall: Bool?

        init(url: String?) {
            isDisabled = url == nil
            self.url = url
            isSmall = url == nil ? nil : true
        }

        enum CodingKeys: String, CodingKey {
            case isDisabled = "is_disabled"
            case url
            case isSmall = "prefer_small_media"
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
        let ok: Bool
    }
}
