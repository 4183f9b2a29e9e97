import Networking
import YAML

extension SinkConfigurationParser {
    /// Where letters go, if all that it takes is there.
    mutating func destination(_ kind: SinkKind) -> SinkConfiguration.Destination? {
        switch kind {
        case .webhook: webhook()
        case .slack: secretURL().map { .slack(url: $0) }
        case .discord: secretURL().map { .discord(url: $0) }
        case .telegram: telegram()
        case .ntfy: ntfy()
        case .apprise: apprise()
        case .mail: mail()
        case .file: text("path").map { .file(path: $0) }
        case .standardOutput: .standardOutput
        }
    }

    private mutating func webhook() -> SinkConfiguration.Destination? {
        guard let url = secretURL(), let secret = secret("secret") else { return nil }
        guard let key = WebhookSink.key(of: secret) else {
            mistakes.add(
                (fields["secret"] ?? fields["secretFile"] ?? node).diagnostic("what follows whsec_ is no key in base64")
            )
            return nil
        }
        return .webhook(url: url, key: key)
    }

    private mutating func telegram() -> SinkConfiguration.Destination? {
        guard let token = secret("token"), let chat = text("chat"), let url = url(standard: "https://api.telegram.org")
        else { return nil }
        return .telegram(url: url, token: token, chat: chat)
    }

    private mutating func ntfy() -> SinkConfiguration.Destination? {
        guard let topic = secret("topic"), let url = url(standard: "https://ntfy.sh") else { return nil }
        return .ntfy(url: url, topic: topic, token: secret("token", isNeeded: false))
    }

    private mutating func apprise() -> SinkConfiguration.Destination? {
        guard let url = secretURL() else { return nil }
        let tag = fields["tag"] == nil ? nil : text("tag")
        return .apprise(url: url, urls: secret("urls", isNeeded: false), tag: tag)
    }

    private mutating func mail() -> SinkConfiguration.Destination? {
        let security = value("security") { node throws(ConfigurationDiagnostic) in
            try node.choice(of: MailRequest.Security.self)
        }
        let port = value("port") { node throws(ConfigurationDiagnostic) in try node.integer(in: 1...65_535) }
        let user = fields["user"] == nil ? nil : text("user")
        let password = secret("password", isNeeded: user != nil)
        let authorities = fields["authorities"] == nil ? nil : text("authorities")
        if fields["to"] == nil { miss("to") }
        let recipients = value("to") { node throws(ConfigurationDiagnostic) in
            if case .sequence(let nodes) = node.content {
                return try nodes.map { node throws(ConfigurationDiagnostic) in try node.address() }
            }
            return [try node.address()]
        }
        if fields["from"] == nil { miss("from") }
        let sender = value("from") { node throws(ConfigurationDiagnostic) in try node.address() }
        guard let host = text("host"), let sender, let recipients else { return nil }
        if recipients.isEmpty { miss("to") }
        let usual =
            switch security ?? .startTLS {
            case .tls: 465
            case .startTLS: 587
            case .none: 25
            }
        return .mail(
            MailRequest(
                host: host, port: port ?? usual, security: security ?? .startTLS, certificateFile: authorities,
                user: user,
                password: password, sender: sender, recipients: recipients, message: []))
    }
}

extension Node {
    /// An address of mail.
    fileprivate func address() throws(ConfigurationDiagnostic) -> String {
        try value(expected: "an address such as editor@example.org") { MailRequest.isAddress($0) ? $0 : nil }
    }
}
