import Text
import ZeroMQ

/// A key in a file, in the form that CZMQ and pyzmq read and write (ZPL, RFC 4).
struct KeyFile: Sendable {
    /// The public key.
    let publicKey: PublicKey
    /// The key pair, if the file holds the secret key.
    let keys: KeyPair?
    /// The roles of the client with this key.
    let roles: Set<Role>

    /// The line that marks a file in which `operate` means what it means now; without it, it also means `replay` and `shop`.
    ///
    /// See docs/decisions/0066-roles-and-older-keys.md.
    private static let rolesVersion = "2"

    /// Makes the file of a key pair.
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
            throw KeyError("contains no valid public key")
        }
        if let secret = values["secret-key"] {
            guard let keys = KeyPair(secret: secret) else { throw KeyError("contains an invalid secret key") }
            guard keys.publicKey == publicKey else {
                throw KeyError("contains a public and a secret key that do not belong together")
            }
            self.keys = keys
        } else {
            keys = nil
        }
        self.publicKey = publicKey
        var roles: Set<Role> = []
        for word in (values["roles"] ?? "").split(separator: " ") {
            guard let role = Role(rawValue: String(word)) else {
                throw KeyError(
                    "contains an unknown role; the roles are \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            roles.insert(role)
        }
        if roles.contains(.operate), values["roles-version"] != Self.rolesVersion {
            roles.formUnion([.replay, .shop])
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
            lines.append("    roles-version = \"\(Self.rolesVersion)\"")
        }
        lines += ["curve", "    public-key = \"\(publicKey)\""]
        if isSecret, let keys { lines.append("    secret-key = \"\(keys.secret)\"") }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// A key or key file that cannot be used.
public struct KeyError: Error, CustomStringConvertible {
    /// What went wrong, as far as `marquee keys` says it in another language.
    public enum Kind: Sendable {
        /// The file to make exists already.
        case exists(path: String)
        /// The file or folder cannot be made, for the system's reason.
        case notWritten(path: String, reason: String)
        /// A key cannot be used.
        case unusable
    }

    /// What went wrong.
    public let kind: Kind
    /// The problem in one line, without any part of a key.
    public let description: String

    init(_ description: String) {
        kind = .unusable
        self.description = description
    }

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
