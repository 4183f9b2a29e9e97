import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// An Apprise API server, which passes letters on to a hundred services (https://github.com/caronc/apprise-api).
struct AppriseSink: HTTPSink {
    let client: HTTPClient
    /// Where to post: `…/notify/KEY` of a configuration that is kept there, or `…/notify` with `urls`.
    let url: String
    /// The services to pass letters on to, where the server keeps no configuration.
    let urls: String?
    /// Which of a configuration's services, by their tags.
    let tag: String?
    let language: Language

    var secrets: [String] { HTTPRequest.secrets(of: url) + (urls.map { [$0] } ?? []) }

    func request(for letter: SinkMessage, at now: Date) throws -> HTTPRequest {
        let isDigest = letter.alerts.count > 1
        let message = Message(
            title: isDigest ? letter.title(in: language) : nil, body: letter.text(in: language, limit: 30_000),
            urls: urls, tag: tag)
        return .post(
            url, secrets: secrets, headers: [HTTPField("Accept", "application/json")], body: try JSON.encode(message))
    }

    func judge(_ response: HTTPResponse) -> SinkResponse.Outcome {
        switch response.status {
        // It has no configuration of that key, and nobody was told anything.
        case 204: .refused
        // At least one of its services failed.
        case 424: .failed()
        default: response.verdict
        }
    }

    private struct Message: Encodable {
        let title: String?
        let body: String
        let type = "info"
        let format = "text"
        let urls: String?
        let tag: String?
    }
}
