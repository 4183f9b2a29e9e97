import Contract
import Crypto
import FoundationEssentials
import JSONCoding
import Networking
import Text

/// A program of the operator. Gets the event in the HTTP binding of CloudEvents, signed by Standard Webhooks
/// (https://www.standardwebhooks.com), with title, link and image behind its own bytes.
struct WebhookSink: HTTPSink {
    static let kind = "webhook"
    static let keys = ["url", "urlFile", "secret", "secretFile"]

    let url: String
    let key: [UInt8]

    init?(_ fields: inout SinkFields) {
        let (url, secret) = (fields.secretURL(), fields.secret("secret"))
        guard let url, let secret else { return nil }
        guard let key = Self.key(of: secret) else {
            fields.addError(
                at: "secret", "whsec_ 뒤의 값이 올바른 키(base64)가 아닙니다. 발급받은 값을 그대로 쓰세요",
                "the part after whsec_ is not a base64 key")
            return nil
        }
        self.url = url
        self.key = key
    }

    /// Returns the key of a secret: base64 after `whsec_`, or the secret itself; nil if it is not valid.
    private static func key(of secret: String) -> [UInt8]? {
        let prefix = "whsec_"
        let key =
            secret.hasPrefix(prefix)
            ? Data(base64Encoded: String(secret.dropFirst(prefix.count))).map(Array.init) : Array(secret.utf8)
        return key?.isEmpty == false ? key : nil
    }

    func request(for message: SinkMessage, at now: Date) -> HTTPRequest {
        let isSingle = message.alerts.count == 1
        let bodies = message.alerts.map { self.body(of: $0, in: message) }
        let body = isSingle ? bodies[0] : Array("[".utf8) + Array(bodies.joined(separator: ",".utf8)) + Array("]".utf8)
        let timestamp = "\(Int(now.timeIntervalSince1970))"
        let code = HMACSHA256.authenticationCode(for: Array("\(message.key).\(timestamp).".utf8) + body, key: key)
        return .post(
            url,
            headers: [
                HTTPField("webhook-id", message.key), HTTPField("webhook-timestamp", timestamp),
                HTTPField("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
                HTTPField("Idempotency-Key", "\"\(message.key)\""),
            ],
            type: isSingle ? "application/cloudevents+json" : "application/cloudevents-batch+json", body: body)
    }

    /// Returns an alert's event with what other sinks show beside the sentence.
    private func body(of alert: OutboundAlert, in message: SinkMessage) -> [UInt8] {
        guard alert.body.last == UInt8(ascii: "}") else { return alert.body }
        let attributes: [(String, String?)] = [
            ("image", alert.image(on: message.board)), ("link", alert.link(on: message.board)),
            ("title", alert.heading(in: message.language)),
        ]
        var body = alert.body.dropLast()
        for case (let name, let value?) in attributes {
            body += Array(",\"\(name)\":".utf8) + JSON.encodeInfallibly(value)
        }
        return body + [UInt8(ascii: "}")]
    }
}
