public import ZeroMQ

/// A key in a file, in the form that CZMQ and pyzmq read and write (ZPL, RFC 4).
public struct KeyFile: Sendable {
    /// The public half.
    public let publicKey: PublicKey
    /// Both halves, if the file holds the secret one.
    public let keys: KeyPair?
    /// What a client with this key may do.
    public let roles: Set<Role>

    /// Makes the file of a whole pair.
    public init(_ keys: KeyPair, roles: Set<Role> = []) {
        publicKey = keys.publicKey
        self.keys = keys
        self.roles = roles
    }

    /// Reads a file's text; throws a sentence that says what is wrong with it, and shows none of it.
    init(text: String) throws(KeyError) {
        var values: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = line[..<equals].drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            guard !name.hasPrefix("#") else { continue }
            values[name] = line[line.index(after: equals)...].filter { !"\"' \t".contains($0) || $0 == " " }
                .split(separator: " ").joined(separator: " ")
        }
        guard let publicKey = values["public-key"].flatMap({ PublicKey($0) }) else {
            throw KeyError("holds no public key")
        }
        if let secret = values["secret-key"] {
            guard let keys = KeyPair(secret: secret) else { throw KeyError("holds a secret key that is none") }
            guard keys.publicKey == publicKey else { throw KeyError("holds two keys that do not belong together") }
            self.keys = keys
        } else {
            keys = nil
        }
        self.publicKey = publicKey
        var roles: Set<Role> = []
        for word in (values["roles"] ?? "").split(separator: " ") {
            guard let role = Role(rawValue: String(word)) else {
                throw KeyError("gives a role that is none of \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            roles.insert(role)
        }
        self.roles = roles
    }

    /// The file's text, with the secret half or without.
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

/// What is wrong with a key or its file.
public struct KeyError: Error, CustomStringConvertible {
    /// One line, without any part of a key.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
