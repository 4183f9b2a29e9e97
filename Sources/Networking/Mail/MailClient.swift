import CCurl
internal import Text

/// Sends mail by SMTP. Each mail is sent once; retries are the caller's task.
public final class MailClient: Sendable {
    /// The server's reply to a mail.
    public struct Reply: Hashable, Sendable {
        /// The reply's code: 250 if the server accepted the mail for at least one recipient, 400 and above if it rejected
        /// it (RFC 5321, 4.2).
        public let code: Int
        /// The reply's last line.
        public let text: String
        /// The recipients that the server refused; the others have the mail if it was accepted.
        public var refusals: [Refusal] = []
    }

    /// A recipient that the server refused.
    public struct Refusal: Hashable, Sendable {
        /// The recipient's address.
        public let recipient: String
        /// The last line of the server's reply.
        public let text: String
    }

    private let transport: Transport

    /// Creates a client and starts its thread.
    public init() {
        transport = Transport(limits: HTTPClient.Limits())
    }

    /// Sends a mail to all recipients that the server accepts, and returns the server's reply, which can be a rejection.
    ///
    /// - Throws: An `UpstreamError` if the server did not reply, or its reply cannot be read.
    public func send(_ mail: MailRequest) async throws(UpstreamError) -> Reply {
        switch await transport.perform(mail, timeout: mail.deadline, deadline: mail.deadline) {
        case .failure(let failure):
            let redactor = Redactor([mail.password ?? ""])
            let message = "\(redactor.redact(failure.reason)) (\(mail))"
            throw UpstreamError(service: "mail", kind: failure.kind, message: message)
        case .success(let response):
            let lines = String(decoding: response.body, as: UTF8.self).split(separator: "\n").map(String.init)
            return Reply(status: response.status, lines: lines, recipients: mail.recipients)
        }
    }

    /// Cancels all mails being sent, closes the connections and stops the thread.
    public func shutdown() async {
        await transport.shutdown()
    }
}

extension MailClient.Reply {
    /// Reads the lines of all the server's replies; `status` is the code of the last one before the one to QUIT.
    fileprivate init(status: Int, lines: [String], recipients: [String]) {
        // The last line of a reply has no hyphen behind its code (RFC 5321, 4.2.1).
        let replies = lines.filter { $0.dropFirst(3).first != "-" }
        // If nobody has the mail and one recipient was refused for the moment, a later attempt may succeed.
        let reply = replies.last { status < 400 ? $0.hasPrefix("\(status)") : $0.hasPrefix("4") }
        code = reply.flatMap { Int($0.prefix(3)) } ?? status
        text = reply ?? replies.last { $0.hasPrefix("\(status)") } ?? ""
        // The server replies to each recipient in turn, and then to DATA.
        let data = replies.lastIndex { $0.hasPrefix("354") } ?? 0
        refusals = zip(recipients, replies[..<data].suffix(recipients.count)).compactMap { recipient, text in
            text.hasPrefix("2") ? nil : MailClient.Refusal(recipient: recipient, text: text)
        }
    }
}

// MARK: - Mail request

/// A mail and the server to send it to.
public struct MailRequest: TransferRequest, Sendable {
    /// The encryption of the connection.
    public enum Security: String, Sendable, CaseIterable {
        /// TLS from the first byte, usually on port 465.
        case tls
        /// TLS by STARTTLS; a server that does not offer it gets nothing (RFC 3207).
        case startTLS
        /// No encryption: for a server on the same machine.
        case none
    }

    /// The server's host name or address.
    public var host: String
    /// The server's port.
    public var port: Int
    /// The encryption of the connection.
    public var security: Security
    /// Path of a PEM file of certificates to trust instead of the system's.
    public var certificateFile: String?
    /// The user name for the login; nil to send without a login.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// The envelope sender, which receives bounces.
    public var sender: String
    /// The envelope recipients. If the server refuses some of them, the others get the mail.
    public var recipients: [String]
    /// The message with its header, in lines that end in CR LF (RFC 5322).
    public var message: [UInt8]
    /// The time for the whole delivery.
    public var deadline: Duration

    /// Creates a mail request.
    public init(
        host: String, port: Int, security: Security, certificateFile: String? = nil, user: String? = nil,
        password: String? = nil, sender: String, recipients: [String], message: [UInt8],
        deadline: Duration = .seconds(60)
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.certificateFile = certificateFile
        self.user = user
        self.password = password
        self.sender = sender
        self.recipients = recipients
        self.message = message
        self.deadline = deadline
    }

    /// Whether a text is valid as a sender or recipient: an ASCII address without line ends and brackets.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"(),:;\\".utf8.contains($0) }
    }

    /// The server's URL, as libcurl expects it.
    var origin: String { "\(security == .tls ? "smtps" : "smtp")://\(host):\(port)" }

    /// The domain by which the client greets the server (`EHLO`): the sender's.
    var greetingName: String { String(sender.drop { $0 != "@" }.dropFirst()) }

    // The replies are headers to libcurl.
    var responseLimit: Int { 0 }

    var validationError: String? {
        if host.isEmpty || host.contains(where: { "/@?# ".contains($0) }) {
            return "the mail server's host name is empty or invalid"
        }
        if recipients.isEmpty { return "the mail has no recipient" }
        // A line end in an address would start another SMTP command.
        let isInvalid = (recipients + [sender]).contains { !Self.isAddress($0) }
        return isInvalid ? "the sender or a recipient is not a valid mail address" : nil
    }
}

extension MailRequest: CustomStringConvertible, CustomReflectable {
    /// The server's URL. The message and the recipients are private and not printed.
    public var description: String { origin }
    /// The mirror that `dump` prints: the server's URL.
    public var customMirror: Mirror { Mirror(self, children: ["url": origin]) }
}

// MARK: - Transfer

extension Transfer {
    func setOptions(_ mail: MailRequest) {
        unsent = mail.message[...]
        // libcurl takes the name for its greeting from the path; without one it is this machine's, which in a container is
        // no domain, and which servers refuse (RFC 5321, 4.1.4).
        easy.set(CURLOPT_URL, to: "\(mail.origin)/\(mail.greetingName.percentEncoded)")
        easy.set(CURLOPT_PROTOCOLS_STR, to: "smtp,smtps")
        // CURLUSESSL_ALL fails without TLS: an attacker on the way could remove STARTTLS from the server's greeting.
        let security = mail.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        easy.set(CURLOPT_USE_SSL, to: Int(security.rawValue))
        if let certificateFile = mail.certificateFile { easy.set(CURLOPT_CAINFO, to: certificateFile) }
        if let user = mail.user { easy.set(CURLOPT_USERNAME, to: user) }
        if let password = mail.password { easy.set(CURLOPT_PASSWORD, to: password) }
        easy.set(CURLOPT_MAIL_FROM, to: "<\(mail.sender)>")
        easy.set(CURLOPT_MAIL_RCPT, toList: mail.recipients.map { "<\($0)>" })
        // By default one refused recipient costs all others the mail.
        easy.set(CURLOPT_MAIL_RCPT_ALLLOWFAILS, to: 1)
        // Mails are rare: the server would have closed a kept connection by the next one.
        easy.set(CURLOPT_FORBID_REUSE, to: 1)

        easy.set(CURLOPT_UPLOAD, to: 1)
        easy.set(CURLOPT_INFILESIZE_LARGE, toOffset: mail.message.count)
        easy.set(CURLOPT_READFUNCTION, to: sendMessage)
        easy.set(CURLOPT_READDATA, to: Unmanaged.passUnretained(self).toOpaque())
    }
}

private func sendMessage(
    buffer: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Transfer.at(context).readMessage(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}
