import FoundationEssentials
import ServiceRuntime
import Text
import YAML

/// The keys of a sink in a rule file: reads their values, and collects the errors and the secrets in them.
struct SinkFields {
    private let fields: Fields
    /// The sink's node, at which errors about missing keys point.
    private let node: Node
    private(set) var diagnostics = ConfigurationDiagnosticsError()
    private(set) var secrets: [Secret] = []

    init(_ fields: Fields, of node: Node) {
        self.fields = fields
        self.node = node
    }

    func has(_ key: String) -> Bool { fields[key] != nil }

    /// Returns the value of a key; nil if it is missing or cannot be read.
    mutating func value<Value>(_ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value) -> Value? {
        guard let field = fields[key] else { return nil }
        return diagnostics.collect { () throws(ConfigurationDiagnostic) in try read(field) }
    }

    /// Returns what `read` makes of a text; `ko` and `en` name what is expected.
    mutating func value<Value>(_ key: String, expected ko: String, _ en: String, _ read: (String) -> Value?) -> Value? {
        value(key) { node throws(ConfigurationDiagnostic) in try node.value(expected: ko, en, read: read) }
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String) -> Choice? {
        value(key) { node throws(ConfigurationDiagnostic) in try node.choice() }
    }

    mutating func required<Value>(_ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value) -> Value? {
        if !has(key) { diagnostics.add(node.diagnostic(missing: key)) }
        return value(key, read)
    }

    /// Returns the values of a list; nil if it is missing or cannot be read. Elements that cannot be read are left out.
    mutating func values<Value>(
        _ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value
    ) -> [Value]? {
        value(key) { node throws(ConfigurationDiagnostic) in try node.list() }?.compactMap { node in
            diagnostics.collect { () throws(ConfigurationDiagnostic) in try read(node) }
        }
    }

    mutating func oneOrMore<Value>(
        _ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value
    ) -> [Value]? {
        guard case .sequence(let nodes) = fields[key]?.content else { return required(key, read).map { [$0] } }
        if nodes.isEmpty { diagnostics.add(node.diagnostic(missing: key)) }
        return values(key, read)
    }

    mutating func text(_ key: String, isNeeded: Bool = true) -> String? {
        func read(_ node: Node) throws(ConfigurationDiagnostic) -> String { try node.sendableText() }
        return isNeeded ? required(key, read) : value(key, read)
    }

    mutating func path(_ key: String, isNeeded: Bool = true) -> String? {
        func read(_ node: Node) throws(ConfigurationDiagnostic) -> String { try node.filePath() }
        return isNeeded ? required(key, read) : value(key, read)
    }

    /// Returns a secret, from the key or from the file that the key `…File` names.
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
        do throws(FileError) {
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
        guard url.isWebAddress else {
            addError(
                at: key, "올바른 URL이 아닙니다. http://나 https://로 시작하는 주소를 쓰세요",
                "this is not a URL that begins with http:// or https://")
            return nil
        }
        guard checkPort(of: url, at: key) else { return nil }
        // A response may contain only the part after the host.
        secrets += url.secretParts.map { Secret($0) }
        return url
    }

    /// Returns a URL that is not secret, without a slash at its end.
    mutating func url(_ key: String = "url", standard: String) -> String? {
        guard has(key) else { return standard }
        let url = value(key) { node throws(ConfigurationDiagnostic) in
            try node.value(expected: "\(standard) 같은 URL을", "a URL such as \(standard)") { $0.isWebAddress ? $0 : nil }
        }
        guard let url, checkPort(of: url, at: key) else { return nil }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private mutating func checkPort(of url: String, at key: String) -> Bool {
        if URL(string: url)?.hasValidPort == true { return true }
        addError(at: key, "URL의 포트가 올바르지 않습니다. 1~65535의 정수를 쓰세요", "the URL's port is not between 1 and 65535")
        return false
    }

    /// Adds an error about the value of a key, or about the file that the key `…File` names.
    mutating func addError(at key: String, _ ko: String, _ en: String) {
        diagnostics.add((fields[key] ?? fields["\(key)File"] ?? node).diagnostic(ko, en))
    }
}

extension Node {
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

    /// Whether the text has only letters, digits, hyphens and `_`, as the name of a sink or a topic of ntfy.
    func isWord(upTo count: Int) -> Bool {
        (1...count).contains(utf8.count)
            && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
