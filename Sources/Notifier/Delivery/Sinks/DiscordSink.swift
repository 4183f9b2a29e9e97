import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A Discord channel, by a webhook (https://discord.com/developers/docs/resources/webhook#execute-webhook).
struct DiscordSink: HTTPSink {
    let client: HTTPClient
    let url: String
    let language: Language

    var secrets: [String] { HTTPRequest.secrets(of: url) }

    func request(for letter: SinkMessage, at now: Date) throws -> HTTPRequest {
        let content = Content(content: letter.text(in: language, limit: 2_000))
        var request = HTTPRequest.post(url, secrets: secrets, body: try JSON.encode(content))
        // Or it answers before it knows whether the message can be made.
        request.query = [HTTPField("wait", "true")]
        return request
    }

    private struct Content: Encodable {
        let content: String
        /// A title with an @ in it calls nobody.
        let mentions = ["parse": [String]()]

        enum CodingKeys: String, CodingKey {
            case content
            case mentions = "allowed_mentions"
        }
    }
}
