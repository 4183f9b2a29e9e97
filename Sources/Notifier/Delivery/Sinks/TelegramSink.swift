import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A Telegram chat, by a bot (https://core.telegram.org/bots/api#sendmessage).
struct TelegramSink: HTTPSink {
    let client: HTTPClient
    /// Where the Bot API is.
    let url: String
    /// The bot's token, which its addresses hold.
    let token: String
    let chat: String
    let language: Language

    var secrets: [String] { [token] }

    func request(for letter: SinkMessage, at now: Date) throws -> HTTPRequest {
        let message = Message(chat: chat, text: letter.text(in: language, limit: 4_096))
        return .post("\(url)/bot\(token)/sendMessage", secrets: secrets, body: try JSON.encode(message))
    }

    func judge(_ response: HTTPResponse) -> SinkResponse.Outcome {
        guard let reply = try? JSON.decode(Reply.self, from: Array(response.body)) else {
            // Whatever it is, the bot's message is not what it speaks of.
            return response.verdict == .refused ? .refused : .failed(retryAfter: response.retryAfter)
        }
        if reply.ok { return .taken }
        guard case .failed(let asked) = response.verdict else { return .refused }
        return .failed(retryAfter: reply.parameters?.retryAfter.map { .seconds($0) } ?? asked)
    }

    private struct Message: Encodable {
        let chat: String
        let text: String

        enum CodingKeys: String, CodingKey {
            case chat = "chat_id"
            case text
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
