import Contract
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A Telegram chat, by a bot (https://core.telegram.org/bots/api#sendmessage).
struct TelegramSink: HTTPSink {
    let client: HTTPClient
    /// The URL of the Bot API.
    let url: String
    /// The bot's token, which is part of the URL of each request.
    let token: String
    let chat: String
    let language: Language
    /// The board's public URL, for links; nil if there is none.
    var board: String?

    var secrets: [String] { [token] }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        let text = message.text(in: language, limit: 4_096, link: message.link(on: board), escape: \.escapedForTelegram)
        let payload = Message(chat: chat, text: text)
        return .post("\(url)/bot\(token)/sendMessage", secrets: secrets, body: try JSON.encode(payload))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        guard let reply = try? JSON.decode(Reply.self, from: Array(response.body)) else {
            // Not a response of the Bot API, so it says nothing about the message itself.
            return response.outcome == .rejected ? .rejected : .failed(retryAfter: response.retryAfter)
        }
        if reply.ok { return .delivered }
        guard case .failed(let asked) = response.outcome else { return .rejected }
        return .failed(retryAfter: reply.parameters?.retryAfter.map { .seconds($0) } ?? asked)
    }

    private struct Message: Encodable {
        let chat: String
        let text: String
        /// A link in a stranger's name gets no preview.
        let preview = ["is_disabled": true]

        enum CodingKeys: String, CodingKey {
            case chat = "chat_id"
            case text
            case preview = "link_preview_options"
        }
    }

    private struct Reply: Decodable {
        struct Parameters: Decodable {
            let retryAfter: Int?

            enum CodingKeys: String, CodingKey {
                case retryAfter = "retry_after"
            }
        }

        let ok: Bool
        let parameters: Parameters?
    }
}
