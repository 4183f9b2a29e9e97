import Networking
import Operations
import YAML

/// Reads a sink's fields, gathers what is wrong with them, and keeps account of what nobody may see.
struct SinkConfigurationParser {
    let fields: Fields
    /// The sink itself, where something is missing.
    let node: Node
    var mistakes: ConfigurationDiagnosticsError
    private(set) var secrets: [Secret] = []

    /// Makes a reader.
    init(_ fields: Fields, of node: Node, _ mistakes: ConfigurationDiagnosticsError) {
        self.fields = fields
        self.node = node
        self.mistakes = mistakes
    }

    /// The value of a field, if it is there and `read` understands it.
    mutating func value<Value>(_ key: String, _ read: (Node) throws(ConfigurationDiagnostic) -> Value) -> Value? {
        guard let field = fields[key] else { return nil }
        return mistakes.collect { () throws(ConfigurationDiagnostic) in try read(field) }
    }

    /// The text of a field that has to be there, or that is `standard` where it is not.
    mutating func text(_ key: String, standard: String? = nil) -> String? {
        guard fields[key] != nil else {
            if standard == nil { miss(key) }
            return standard
        }
        return value(key) { field throws(ConfigurationDiagnostic) in try field.sendableText() }
    }

    /// A text that nobody may see, which stands in the field or in the file that `…File` names.
    ///
    /// No mistake shows it, so it is read without the words of mistakes that do.
    mutating func secret(_ key: String, isNeeded: Bool = true) -> String? {
        do throws(ConfigurationDiagnostic) {
            guard let secret = try given(key, isNeeded) else { return nil }
            secrets.append(secret)
            return secret.value
        } catch {
            mistakes.add(error)
            return nil
        }
    }

    private func given(_ key: String, _ isNeeded: Bool) throws(ConfigurationDiagnostic) -> Secret? {
        let (field, file) = (fields[key], fields["\(key)File"])
        if let file, field != nil { throw file.diagnostic("\(key) is given as well; give one of the two") }
        if let field { return Secret(try field.sendableText()) }
        guard let file else {
            if isNeeded { throw node.diagnostic("\(key) is missing; give \(key), or \(key)File with a path") }
            return nil
        }
        let secret: Secret
        let path = try file.text()
        do throws(SecretFileError) {
            secret = try Secret(file: path)
        } catch {
            throw file.diagnostic("\(error)")
        }
        guard secret.value.isSendable else { throw file.diagnostic("the file holds a character that is not allowed") }
        return secret
    }

    /// An address of HTTP that nobody may see, because there is a token in it.
    mutating func secretURL(_ key: String = "url") -> String? {
        guard let url = secret(key) else { return nil }
        guard url.isWebAddress else {
            let place = fields[key] ?? fields["\(key)File"] ?? node
            mistakes.add(place.diagnostic("this is no address that begins with http:// or https://"))
            return nil
        }
        // Answers may hold the part after the host alone.
        secrets += HTTPRequest.secrets(of: url).map { Secret($0) }
        return url
    }

    /// An address of HTTP that anybody may see.
    mutating func url(_ key: String = "url", standard: String) -> String? {
        guard let field = fields[key] else { return standard }
        return mistakes.collect { () throws(ConfigurationDiagnostic) in
            try field.value(expected: "an address such as \(standard)") { $0.isWebAddress ? $0 : nil }
        }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Says that a field is missing.
    mutating func miss(_ key: String) {
        mistakes.add(node.diagnostic("\(key) is missing"))
    }
}

extension Node {
    /// A text that can be part of a message, without line ends and other control characters.
    fileprivate func sendableText() throws(ConfigurationDiagnostic) -> String {
        let text = try text()
        guard text.isSendable, !text.isEmpty else { throw diagnostic("a text on one line is needed here") }
        return text
    }
}

extension String {
    fileprivate var isSendable: Bool {
        unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether the text is an address that can be asked by HTTP.
    fileprivate var isWebAddress: Bool {
        let parts = split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count >= 3 && ["http:", "https:"].contains(parts[0].lowercased()) && parts[1].isEmpty
            && !parts[2].isEmpty && !parts[2].contains("@") && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
