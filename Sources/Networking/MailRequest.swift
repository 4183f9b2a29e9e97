/// A mail, and the server to hand it to.
public struct MailRequest: Sendable {
    /// How the connection is kept from listeners.
    public enum Security: String, Sendable, CaseIterable {
        /// Encrypted from the first byte, usually on port 465.
        case tls
        /// Encrypted before anything is said; a server that cannot do it gets nothing (RFC 3207).
        case startTLS
        /// Not at all: for a server on the same machine.
        case none
    }

    /// The server's name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// How the connection is kept from listeners.
    public var security: Security
    /// A file of certificates to trust in place of the system's.
    public var authorities: String?
    /// Who we are to the server; nil to hand mail over without a name.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// The address that failures are reported to.
    public var sender: String
    /// Who gets it: all of them, or nobody does.
    public var recipients: [String]
    /// The message with its head, in lines that end in CR LF (RFC 5322).
    public var message: [UInt8]
    /// The time for everything.
    public var deadline: Duration

    /// Makes a request.
    public init(
        host: String, port: Int, security: Security, authorities: String? = nil, user: String? = nil,
        password: String? = nil, sender: String, recipients: [String], message: [UInt8],
        deadline: Duration = .seconds(60)
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.authorities = authorities
        self.user = user
        self.password = password
        self.sender = sender
        self.recipients = recipients
        self.message = message
        self.deadline = deadline
    }

    /// Whether a text can be a mail's sender or recipient: an ASCII address that ends no line and no bracket.
    public static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"(),:;\\".utf8.contains($0) }
    }

    /// Where to, as libcurl takes it.
    var url: String { "\(security == .tls ? "smtps" : "smtp")://\(host):\(port)" }

    /// Why this can not be sent at all, or nil.
    var mistake: String? {
        if host.isEmpty || host.contains(where: { "/@?# ".contains($0) }) { return "the server's name is none" }
        if recipients.isEmpty { return "there is nobody to send it to" }
        // A line end in an address would be a command of its own.
        let wrong = (recipients + [sender]).contains { !Self.isAddress($0) }
        return wrong ? "a sender or recipient is no address" : nil
    }
}

extension MailRequest: CustomStringConvertible, CustomReflectable {
    /// The server; what is in a mail, and who gets it, is nobody's business.
    public var description: String { url }
    /// What `dump` shows: the same.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
