import Contract
import FoundationEssentials
import Networking

/// A program of the operator's own: gets the event itself, as CloudEvents has it posted, signed as Standard Webhooks
/// (https://www.standardwebhooks.com) has it signed.
///
/// See docs/decisions/0018-webhook-signatures.md.
struct WebhookSink: HTTPSink {
    let client: HTTPClient
    let url: String
    /// The key of the signature.
    let key: [UInt8]

    var secrets: [String] { HTTPRequest.secrets(of: url) }

    /// The key that a secret stands for: one in base64 after `whsec_`, or the secret as it is.
    static func key(of secret: String) -> [UInt8]? {
        let prefix = "whsec_"
        let key =
            secret.hasPrefix(prefix)
            ? Data(base64Encoded: String(secret.dropFirst(prefix.count))).map(Array.init) : Array(secret.utf8)
        return key?.isEmpty == false ? key : nil
    }

    func request(for letter: SinkMessage, at now: Date) -> HTTPRequest {
        let single = letter.alerts.count == 1
        let bodies = letter.alerts.map(\.body)
        let body = single ? bodies[0] : Array("[".utf8) + Array(bodies.joined(separator: ",".utf8)) + Array("]".utf8)
        let timestamp = "\(Int(now.timeIntervalSince1970))"
        let code = HMACSHA256.authenticationCode(for: Array("\(letter.key).\(timestamp).".utf8) + body, key: key)
        return .post(
            url, secrets: secrets,
            headers: [
                HTTPField("webhook-id", letter.key), HTTPField("webhook-timestamp", timestamp),
                HTTPField("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
                HTTPField("Idempotency-Key", "\"\(letter.key)\""),
            ],
            type: single ? "application/cloudevents+json" : "application/cloudevents-batch+json", body: body)
    }
}
