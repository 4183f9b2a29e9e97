internal import Text

/// Hands mail to servers by SMTP, each once; who wants another attempt makes it.
public final class MailClient: Sendable {
    /// What the server said to the last thing it was told.
    public struct Reply: Hashable, Sendable {
        /// The reply's code: 250 once the mail is taken, 400 and above where something was refused (RFC 5321, 4.2).
        public let code: Int
        /// The reply's last line.
        public let text: String
    }

    private let transport: Transport

    /// Makes a client, and starts its thread.
    public init() {
        transport = Transport(limits: HTTPClient.Limits(), isPublic: \.isPublic)
    }

    /// Hands a mail over, and returns the server's last reply; throws if there was none, or one that makes no sense.
    public func send(_ mail: MailRequest) async throws(UpstreamError) -> Reply {
        switch await transport.perform(.mail(mail), timeout: mail.deadline, deadline: mail.deadline) {
        case .failure(let failure):
            let redactor = Redactor([mail.password ?? ""])
            let message = "\(mail): \(redactor.redact(failure.reason))"
            throw UpstreamError(service: "mail", kind: failure.kind, message: message)
        case .success(let response):
            return Reply(code: response.status, text: String(decoding: response.body, as: UTF8.self))
        }
    }

    /// Ends everything under way as cancelled, closes the connections and ends the thread.
    public func shutdown() async {
        await transport.shutdown()
    }
}
