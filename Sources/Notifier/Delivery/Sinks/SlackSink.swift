import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A Slack channel, by an incoming webhook (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks);
/// Mattermost and others accept the same.
struct SlackSink: HTTPSink {
    let client: HTTPClient
    let url: String
    let language: Language

    var secrets: [String] { HTTPRequest.secrets(of: url) }

    func request(for message: SinkMessage, at now: Date) throws -> HTTPRequest {
        // Slack's markup begins with one of these characters.
        let text = message.text(in: language, limit: 35_000)
            .replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return .post(url, secrets: secrets, body: try JSON.encode(["text": text]))
    }
}
