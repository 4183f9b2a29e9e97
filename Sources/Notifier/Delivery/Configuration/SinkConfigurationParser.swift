import Contract
import FoundationEssentials
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
        if let file, field != nil {
            throw file.diagnostic(
                "\(key) 키도 있습니다. 둘 중 하나만 쓰세요", "\(key) is given as well; give only one of the two")
        }
        if let field { return Secret(try field.sendableText()) }
        guard let file else {
            guard isNeeded else { return nil }
            throw node.diagnostic(
                "\(key) 키가 없습니다. \(key)에 값을 쓰거나 \(key)File에 파일 경로를 쓰세요",
                "\(key) is missing; give \(key), or \(key)File with a path")
        }
        let secret: Secret
        let path = try file.filePath()
        do throws(SecretFileError) {
            secret = try Secret(file: path)
        } catch {
            throw file.diagnostic(error.text)
        }
        guard secret.value.isSendable else {
            throw file.diagnostic("파일에 제어 문자가 있습니다. 값만 한 줄로 저장하세요", "the file contains a control character")
        }
        return secret
    }

    /// Returns a URL that contains a token and is therefore secret.
    mutating func secretURL(_ key: String = "url") -> String? {
        guard let url = secret(key) else { return nil }
        let place = fields[key] ?? fields["\(key)File"] ?? node
        guard url.isWebAddress else {
            diagnostics.add(
                place.diagnostic(
                    "올바른 URL이 아닙니다. http://나 https://로 시작하는 주소를 쓰세요",
                    "this is not a URL that begins with http:// or https://"))
            return nil
        }
        guard url.hasValidPort else {
            diagnostics.add(place.diagnosticOfPort)
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
            let url = try field.value(expected: "\(standard) 같은 URL을", "a URL such as \(standard)") {
                $0.isWebAddress ? $0 : nil
            }
            guard url.hasValidPort else { throw field.diagnosticOfPort }
            return url
        }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Returns the path of a file; nil if it is missing, which is a mistake unless it is optional.
    mutating func path(_ key: String, isOptional: Bool = false) -> String? {
        if fields[key] == nil, !isOptional { addMissing(key) }
        return value(key) { field throws(ConfigurationDiagnostic) in try field.filePath() }
    }

    /// Adds the diagnostic that a field is missing.
    mutating func addMissing(_ key: String) {
        diagnostics.add(node.diagnostic(missing: key))
    }
}

extension Node {
    /// Returns the path of a file.
    fileprivate func filePath() throws(ConfigurationDiagnostic) -> String {
        let path = try sendableText()
        guard !path.needsShell else {
            throw diagnostic(
                "~나 $로 시작하는 경로는 쓸 수 없습니다. 전체 경로를 쓰세요",
                "write the path out; nothing replaces ~ or $ at its beginning")
        }
        return path
    }

    /// Returns a text without line ends and other hidden signs, and without quotes around it.
    fileprivate func sendableText() throws(ConfigurationDiagnostic) -> String {
        let text = try text().unwrapped()
        guard text.isSendable, !text.isEmpty else {
            throw diagnostic("비어 있거나 여러 줄입니다. 한 줄로 쓰세요", "expected a text on one line")
        }
        if let sign = text.unicodeScalars.first(where: \.isHidden) {
            let name = sign.hiddenName
            throw diagnostic(
                "보이지 않는 문자가 있습니다(\(name.text(in: .ko))). 지우세요", "the text contains \(name); remove it")
        }
        return text
    }

    fileprivate var diagnosticOfPort: ConfigurationDiagnostic {
        diagnostic("URL의 포트가 올바르지 않습니다. 1~65535의 정수를 쓰세요", "the URL's port is not between 1 and 65535")
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

    /// Whether a URL has no port, or one that exists.
    fileprivate var hasValidPort: Bool {
        guard let url = URL(string: self) else { return false }
        return url.port.map { (1...65_535).contains($0) } ?? true
    }

    /// The text as a URL has a host, an IPv6 address in brackets; nil if it is no name and no address.
    fileprivate var urlHost: String? {
        let digits = hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
        if digits.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 {
            return digits.utf8.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) } ? "[\(digits)]" : nil
        }
        let isName = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        return isName ? self : nil
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
                    "알림 채널 이름이 올바르지 않습니다. 영문자, 숫자, 하이픈(-), 밑줄(_)로 1~40자를 쓰세요",
                    "a sink's name has 1 to 40 letters, digits, hyphens and _"))
        }
        // The kind comes first: it determines the keys. Without it, all that follows may be meant.
        let word = try entry.value.entries().first { $0.key == "kind" }?.value
        if word == nil { diagnostics.add(entry.value.diagnostic(missing: "kind")) }
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
            try node.value(expected: "12h(12시간)나 3d(3일) 같은 기간을", "a span such as 12h or 3d") { Duration(span: $0) }
        }
        policy = DeliveryPolicy(
            sink: entry.key,
            quietHours: parser.value("quietHours") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "23:00-08:00 같은 시간대를", "hours such as 23:00-08:00") { QuietHours($0) }
            },
            digest: parser.value("digest") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "09:00 같은 시각을", "a time such as 09:00") { TimeOfDay($0) }
            },
            rate: parser.value("rate") { node throws(ConfigurationDiagnostic) in
                try node.value(expected: "20/1m(1분에 20건) 같은 발송 한도를", "a rate such as 20/1m") { RateLimit($0) }
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
    fileprivate var isSinkName: Bool { isWord(upTo: 40) && first != "-" }

    /// Whether the text has letters, digits, hyphens and `_` alone, as a topic of ntfy.
    fileprivate func isWord(upTo count: Int) -> Bool {
        (1...count).contains(utf8.count)
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
                    "whsec_ 뒤의 값이 올바른 키(base64)가 아닙니다. 발급받은 값을 그대로 쓰세요",
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
        // JSON is published to the server's root; elsewhere ntfy takes it for the text.
        if let field = fields["url"], URL(string: url)?.path != "" {
            diagnostics.add(
                field.diagnostic(
                    "서버 주소만 쓰세요(https://ntfy.sh). 주제는 topic 키에 쓰세요",
                    "write the server alone, as in https://ntfy.sh; the topic belongs in topic"))
            return nil
        }
        guard topic.isWord(upTo: 64) else {
            diagnostics.add(
                (fields["topic"] ?? fields["topicFile"] ?? node).diagnostic(
                    "주제(topic)가 올바르지 않습니다. 영문자, 숫자, 하이픈(-), 밑줄(_)로 1~64자를 쓰세요",
                    "a topic has 1 to 64 letters, digits, hyphens and _"))
            return nil
        }
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
        if fields["host"] == nil { addMissing("host") }
        let host = value("host") { node throws(ConfigurationDiagnostic) in
            try node.value(
                expected: "mail.example.org 같은 서버 이름만(영문, 포트는 port 키에)",
                "a server alone, such as mail.example.org; its port belongs in port"
            ) { $0.unwrapped().urlHost }
        }
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
        try value(expected: "editor@example.org 같은 메일 주소를", "an address such as editor@example.org") {
            MailRequest.isAddress($0) ? $0 : nil
        }
    }
}
