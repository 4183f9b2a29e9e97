public import Text
import ZeroMQ

/// A key in a file, in the form that CZMQ and pyzmq read and write (ZPL, RFC 4).
struct KeyFile: Sendable {
    let publicKey: PublicKey
    /// The key pair, if the file holds the secret key.
    let keys: KeyPair?
    let roles: Set<Role>

    init(_ keys: KeyPair, roles: Set<Role> = []) {
        publicKey = keys.publicKey
        self.keys = keys
        self.roles = roles
    }

    /// Parses a file's text.
    ///
    /// - Throws: A `KeyError` that says what is wrong without quoting the text.
    init(text: String) throws(KeyError) {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = String(line[..<equals]).trimmingHidden
            guard !name.hasPrefix("#") else { continue }
            values[name] = String(line[line.index(after: equals)...]).unwrapped()
                .split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        }
        guard let publicKey = values["public-key"].flatMap({ PublicKey($0) }) else {
            throw KeyError("올바른 공개 키가 없습니다", "contains no valid public key")
        }
        if let secret = values["secret-key"] {
            guard let keys = KeyPair(secret: secret) else {
                throw KeyError("비밀 키가 올바르지 않습니다", "contains an invalid secret key")
            }
            guard keys.publicKey == publicKey else {
                throw KeyError(
                    "공개 키와 비밀 키가 서로 맞지 않습니다", "contains a public and a secret key that do not belong together")
            }
            self.keys = keys
        } else {
            keys = nil
        }
        self.publicKey = publicKey
        var roles: Set<Role> = []
        for word in (values["roles"] ?? "").split(separator: " ") {
            guard let role = Role(rawValue: String(word)) else {
                let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
                throw KeyError(
                    "없는 역할이 있습니다. 사용할 수 있는 역할: \(known)", "contains an unknown role; the roles are \(known)")
            }
            roles.insert(role)
        }
        self.roles = roles
    }

    /// Returns the file's text, with or without the secret key.
    func text(name: String, isSecret: Bool) -> String {
        var lines = [
            isSecret && keys != nil
                ? "# A CURVE key pair of marquee. Keep it secret." : "# A CURVE public key of marquee.",
            "metadata", "    name = \"\(name)\"",
        ]
        if !roles.isEmpty {
            let words = Role.allCases.filter(roles.contains).map(\.rawValue).joined(separator: " ")
            lines.append("    roles = \"\(words)\"")
        }
        lines += ["curve", "    public-key = \"\(publicKey)\""]
        if isSecret, let keys { lines.append("    secret-key = \"\(keys.secret)\"") }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A key or key file that cannot be used.
public struct KeyError: BilingualError {
    /// The problem in one line, without any part of a key.
    public let text: BilingualText

    init(_ text: BilingualText) {
        self.text = text
    }

    init(_ korean: String, _ english: String) {
        text = BilingualText(korean, english)
    }
}
