import Contract
import Networking
import Operations
import Text
public import YAML

/// Reads a sink's fields, and collects the errors and the secrets in them.
struct SinkConfigurationParser {
    let fields: Fields
    /// The sink's node, which diagnostics about missing fields point at.
    let node: Node
    var diagnostics: ConfigurationDiagnosticsError
    private(set) var secrets: [Secret] = []

    /// Makes a parser.
    init(_ fields: Fields, of node: Node, _ diagnostics: ConfigurationDiagnosticsError) {
        self.fields = fields
        self.node = node
        self.diagnostics = diagnostics
    }

    /// Returns the value of a field; nil if it is missing or cannot be read.
    mutating func value<Value>(_ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value) -> Value? {
        guard let field = fields[key] else { return nil }
        return diagnostics.collect { () throws(ConfigurationDiagnostic) in try read(field) }
    }

    /// Returns the values of a list; nil if it is missing or cannot be read. Elements that cannot be read are left out.
    mutating func values<Value>(
        _ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value
    ) -> [Value]? {
        value(key) { node throws(ConfigurationDiagnostic) in try node.list() }?.compactMap { node in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try read(node) }
        }
    }

    /// Returns the text of a field, or `standard` if it is missing; without `standard` the field is required.
    mutating func text(_ key: String, standard: String? = nil) -> String? {
        guard fields[key] != nil else {
            if standard == nil { addMissing(key) }
            return standard
        }
        return value(key) { field throws(ConfigurationDiagnostic) in try field.sendableText() }
    }

    /// Returns a secret, from the field or from the file that the field `…File` names.
    mutating func secret(_ key: String, isNeeded: Bool = true) -> String? {
        do throws(ConfigurationDiagnostic) {
            // Not by `value(_:_:)`: its diagnostics would show the secret.
            guard let secret = try readSecret(key, isNeeded) else { return nil }
            secrets.append(secret)
            return secret.value
        } catch {
            diagnostics.add(error)
            return nil
        }
    }

    private func readSecret(_ key: String, _ isNeeded: Bool) throws(ConfigurationDiagnostic) -> Secret? {
        let (field, file) = (fields[key], fields["\(key)File"])
        if let file, field != nil { throw file.diagnostic("\(key) is given as well; give only one of the two") }
        if let field { return Secret(try field.sendableText().unwrapped()) }
        guard let file else {
            if isNeeded { throw node.diagnostic("\(key) is missing; give \(key), or \(key)File with a path") }
            return nil
        }
        let secret: Secret
        let path = try file.filePath()
        do throws(SecretFileError) {
            secret = try Secret(file: path)
        } catch {
            throw file.diagnostic("\(error)")
        }
        guard secret.value.isSendable else { throw file.diagnostic("the file contains a control character") }
        return secret
    }

    /// Returns a URL that contains a token and is therefore secret.
    mutating func secretURL(_ key: String = "url") -> String? {
        guard let url = secret(key) else { return nil }
        guard url.isWebAddress else {
            let place = fields[key] ?? fields["\(key)File"] ?? node
            diagnostics.add(place.diagnostic("this is not a URL that begins with http:// or https://"))
            return nil
        }
        // A response may contain only the part after the host.
        secrets += HTTPRequest.secrets(of: url).map { Secret($0) }
        return url
    }

    /// Returns a URL that is not secret.
    mutating func url(_ key: String = "url", standard: String) -> String? {
        guard let field = fields[key] else { return standard }
        return diagnostics.collect { () throws(ConfigurationDiagnostic) in
            try field.value(expected: "a URL such as \(standard)") { $0.isWebAddress ? $0 : nil }
        }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Returns the path of a file; nil if it is missing, which is a mistake unless it is optional.
    mutating func path(_ key: String, isOptional: Bool = false) -> String? {
        if fields[key] == nil, !isOptional { addMissing(key) }
        return value(key) { field throws(ConfigurationDiagnostic) in try field.filePath() }
    }

    /// Adds the diagnostic that a field is missing.
    mutating func addMissing(_ key: String) {
        diagnostics.add(node.diagnostic("\(key) is missing"))
    }
}

extension Node {
    /// Returns the path of a file.
    fileprivate func filePath() throws(ConfigurationDiagnostic) -> String {
        let path = try sendableText()
        guard !path.needsShell else {
            throw diagnostic("write the path out; nothing replaces ~ or $ at its beginning")
        }
        return path
    }

    /// Returns a text without line ends and other control characters, and without hidden signs around it.
    fileprivate func sendableText() throws(ConfigurationDiagnostic) -> String {
        let text = try text().trimmingHidden
        guard text.isSendable, !text.isEmpty else { throw diagnostic("expected a text on one line") }
        return text
    }
}

extension String {
    fileprivate var isSendable: Bool {
        unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether the text is an HTTP URL with a host.
    fileprivate var isWebAddress: Bool {
        let parts = split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count >= 3 && ["http:", "https:"].contains(parts[0].lowercased()) && parts[1].isEmpty
            && !parts[2].isEmpty && !parts[2].contains("@") && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension SinkConfiguration {
    /// The keys of every kind of sink.
    private static let common = [
        "kind", "language", "rules", "severity", "cooldown", "quietHours", "digest", "rate", "attempts",
    ]

    /// Reads the `sinks:` of a rule file, a mapping of names to sinks, and the files with secrets that it names.
    ///
    /// Errors are added to `diagnostics`; none of them shows a secret.
    public static func read(_ section: Node, _ diagnostics: inout ConfigurationDiagnosticsError) -> [SinkConfiguration]
    {
        let entries = diagnostics.collect { () throws(ConfigurationDiagnostic) in try section.entries() } ?? []
        return entries.compactMap { entry in
            do throws(ConfigurationDiagnostic) {
                return try SinkConfiguration(entry, &diagnostics)
            } catch {
                diagnostics.add(error)
                return nil
            }
        }
    }

    private init?(_ entry: Node.Entry, _ diagnostics: inout ConfigurationDiagnosticsError)
        throws(ConfigurationDiagnostic)
    {
        if !entry.key.isSinkName {
            diagnostics.add(
                ConfigurationDiagnostic(
                    at: entry.position, path: entry.value.path,
                    "a sink's name has 1 to 40 letters, digits, hyphens and _"))
        }
        // The kind comes first: it determines the keys. Without it, all that follows may be meant.
        let word = try entry.value.entries().first { $0.key == "kind" }?.value
        if word == nil { diagnostics.add(entry.value.diagnostic("kind is missing")) }
        let kind = word.flatMap { word in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try word.choice(of: SinkKind.self) }
        }
        let keys = kind?.keys ?? SinkKind.allCases.flatMap(\.keys)
        let fields = try entry.value.fields(Self.common + keys, &diagnostics)
        var parser = SinkConfigurationParser(fields, of: entry.value, diagnostics)
        let destination = kind.flatMap { parser.destination($0) }
        language = parser.value("language") { node throws(ConfigurationDiagnostic) in try node.choice() } ?? .ko
        severity = parser.value("severity") { node throws(ConfigurationDiagnostic) in try node.choice() } ?? .info
        rules = parser.values("rules") { rule throws(ConfigurationDiagnostic) in
            try rule.choice(of: AlertRule.self).rawValue
        }.map { Set($0) }
        cooldown = parser.value("cooldown") { node throws(ConfigurationDiagnostic) in
            try node.value(expected: "a span such as 12h or 3d") { Duration(span: $0) }
        }
        policy = DeliveryPolicy(
            sink: entry.key,
            quietHours: parser.value("quietHours") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "hours such as 23:00-08:00") { QuietHours($0) }
            },
            digest: parser.value("digest") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a time such as 09:00") { TimeOfDay($0) }
            },
            rate: parser.value("rate") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "a rate such as 20/1m") { RateLimit($0) }
            })
        backoff = Backoff()
        if let attempts = parser.value(
            "attempts", { node throws(ConfigurationDiagnostic) in try node.integer(in: 1...1_000) })
        {
            backoff.attempts = attempts
        }
        name = entry.key
        secrets = parser.secrets
        diagnostics = parser.diagnostics
        guard let destination, entry.key.isSinkName else { return nil }
        self.destination = destination
    }
}

extension String {
    /// Whether the text can name a sink, in commands, metric labels and keys.
    fileprivate var isSinkName: Bool {
        (1...40).contains(utf8.count) && first != "-"
            && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}

extension SinkConfigurationParser {
    /// Returns the destination of a kind of sink; nil if a field is missing or cannot be read.
    mutating func destination(_ kind: SinkKind) -> SinkConfiguration.Destination? {
        switch kind {
        case .webhook: webhook()
        case .slack: secretURL().map { .slack(url: $0) }
        case .discord: secretURL().map { .discord(url: $0) }
        case .telegram: telegram()
        case .ntfy: ntfy()
        case .apprise: apprise()
        case .mail: mail()
        case .file: path("path").map { .file(path: $0) }
        case .standardOutput: .standardOutput
        }
    }

    private mutating func webhook() -> SinkConfiguration.Destination? {
        let (url, secret) = (secretURL(), secret("secret"))
        guard let url, let secret else { return nil }
        guard let key = WebhookSink.key(of: secret) else {
            diagnostics.add(
                (fields["secret"] ?? fields["secretFile"] ?? node).diagnostic(
                    "the part after whsec_ is not a base64 key"))
            return nil
        }
        return .webhook(url: url, key: key)
    }

    private mutating func telegram() -> SinkConfiguration.Destination? {
        let (token, chat, url) = (secret("token"), text("chat"), url(standard: "https://api.telegram.org"))
        guard let token, let chat, let url else { return nil }
        return .telegram(url: url, token: token, chat: chat)
    }

    private mutating func ntfy() -> SinkConfiguration.Destination? {
        let (topic, url) = (secret("topic"), url(standard: "https://ntfy.sh"))
        let token = secret("token", isNeeded: false)
        guard let topic, let url else { return nil }
        return .ntfy(url: url, topic: topic, token: token)
    }

    private mutating func apprise() -> SinkConfiguration.Destination? {
        let (url, urls) = (secretURL(), secret("urls", isNeeded: false))
        let tag = fields["tag"] == nil ? nil : text("tag")
        guard let url else { return nil }
        return .apprise(url: url, urls: urls, tag: tag)
    }

    private mutating func mail() -> SinkConfiguration.Destination? {
        let security = value("security") { node throws(ConfigurationDiagnostic) in
            try node.choice(of: MailRequest.Security.self)
        }
        let port = value("port") { node throws(ConfigurationDiagnostic) in try node.integer(in: 1...65_535) }
        let user = fields["user"] == nil ? nil : text("user")
        let password = secret("password", isNeeded: user != nil)
        let authorities = path("authorities", isOptional: true)
        let recipients = recipients()
        if fields["from"] == nil { addMissing("from") }
        let sender = value("from") { node throws(ConfigurationDiagnostic) in try node.address() }
        let host = text("host")
        guard let host, let sender, let recipients else { return nil }
        if recipients.isEmpty { addMissing("to") }
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

    /// Returns the one address in `to`, or those of a list.
    private mutating func recipients() -> [String]? {
        func address(_ node: Node) throws(ConfigurationDiagnostic) -> String { try node.address() }
        guard let field = fields["to"] else {
            addMissing("to")
            return nil
        }
        guard case .sequence = field.content else { return value("to", address).map { [$0] } }
        return values("to", address)
    }
}

extension Node {
    /// Returns a mail address.
    fileprivate func address() throws(ConfigurationDiagnostic) -> String {
        try value(expected: "an address such as editor@example.org") { MailRequest.isAddress($0) ? $0 : nil }
    }
}
