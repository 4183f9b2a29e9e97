import Contract
import FoundationEssentials
import JSONCoding
import Networking

/// A topic of ntfy, published as JSON (https://docs.ntfy.sh/publish/#publish-as-json).
struct NtfySink: HTTPSink {
    static let kind = "ntfy"
    static let keys = ["url", "topic", "topicFile", "token", "tokenFile"]

    let url: String
    /// The topic. It is secret: on an open server, it is enough to subscribe.
    let topic: String
    let token: String?

    init?(_ fields: inout SinkFields) {
        let (topic, url) = (fields.secret("topic"), fields.url(standard: "https://ntfy.sh"))
        token = fields.secret("token", isNeeded: false)
        guard let topic, let url else { return nil }
        // JSON is published to the server's root; elsewhere ntfy takes it for the text.
        guard URL(string: url)?.path == "" else {
            fields.addError(
                at: "url", "서버 주소만 쓰세요(https://ntfy.sh). 주제는 topic 키에 쓰세요",
                "write the server alone, as in https://ntfy.sh; the topic belongs in topic")
            return nil
        }
        guard topic.isWord(upTo: 64) else {
            fields.addError(
                at: "topic", "주제(topic)가 올바르지 않습니다. 영문자, 숫자, 하이픈(-), 밑줄(_)로 1~64자를 쓰세요",
                "a topic has 1 to 64 letters, digits, hyphens and _")
            return nil
        }
        self.url = url
        self.topic = topic
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let payload = Message(
            topic: topic, title: message.heading.cut(to: 250, size: \.utf8.count),
            message: message.text(limit: Self.limit, size: { JSON.encodeInfallibly($0).count - 2 }),
            priority: 3 + min(message.severity.weight, 1), click: message.link, attach: message.image,
            filename: message.image == nil ? nil : "poster.jpg",
            tags: Set(message.alerts.map(\.data.rule.rawValue)).sorted())
        let headers = token.map { [HTTPField("Authorization", "Bearer \($0)", isSecret: true)] } ?? []
        return .post(url, secrets: [], headers: headers, body: JSON.encodeInfallibly(payload))
    }

    /// The largest size of a text in bytes, here as JSON, so that the whole request stays within twice the limit, too. A
    /// longer one becomes an attachment, which most servers refuse.
    private static let limit = 4_096

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        guard response.outcome == .delivered else { return response.outcome }
        // A page of a proxy or of another server has no id.
        return (try? JSON.decode(Receipt.self, from: Array(response.body))) == nil ? .rejected : .delivered
    }

    private struct Message: Encodable {
        let topic: String
        let title: String
        let message: String
        let priority: Int
        /// The address that a tap opens.
        let click: String?
        /// The image in the notification, which phones fetch themselves.
        let attach: String?
        let filename: String?
        let tags: [String]
    }

    private struct Receipt: Decodable {
        let id: String
    }
}

/// An Apprise API server, which forwards messages to a hundred services (https://github.com/caronc/apprise-api).
struct AppriseSink: HTTPSink {
    static let kind = "apprise"
    static let keys = ["url", "urlFile", "urls", "urlsFile", "tag"]

    /// The URL to post to: `…/notify/KEY` for a configuration on the server, or `…/notify` with `urls`.
    let url: String
    /// The services to forward to, if the server has no configuration.
    let urls: String?
    /// The tags of the configuration's services to forward to.
    let tag: String?

    init?(_ fields: inout SinkFields) {
        let url = fields.secretURL()
        urls = fields.secret("urls", isNeeded: false)
        tag = fields.text("tag", isNeeded: false)
        guard let url else { return nil }
        self.url = url
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let payload = Message(
            title: message.heading.cut(to: 200), body: message.text(limit: 30_000, link: message.link),
            attach: message.image, urls: urls, tag: tag)
        return .post(
            url, headers: [HTTPField("Accept", "application/json")], body: JSON.encodeInfallibly(payload))
    }

    func outcome(of response: HTTPResponse) -> SinkResponse.Outcome {
        switch response.status {
        // The server has no configuration of that key and forwarded nothing.
        case 204: .rejected
        // At least one service failed.
        case 424: .failed()
        default: response.outcome
        }
    }

    private struct Message: Encodable {
        let title: String
        let body: String
        let type = "info"
        let format = "text"
        /// The URL of an image, which the server fetches and attaches.
        let attach: String?
        let urls: String?
        let tag: String?
    }
}
