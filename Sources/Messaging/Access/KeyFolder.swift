import FoundationEssentials
import Glibc
import ServiceRuntime
public import Text
import ZeroMQ

/// A folder of key files: `NAME.key_secret` for a key pair, `NAME.key` for a public key, and `clients/NAME.key` for each
/// client that may connect.
public struct KeyFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Names a folder, which need not exist yet.
    public init(_ path: String) {
        self.path = path
    }

    /// Makes a server's key pair, writes both files, which must not exist, and returns their paths.
    public func makeServer(_ name: String) throws -> (secret: String, open: String) {
        try make(KeyFile(KeyPair()), name, open: "\(path)/\(name).key")
    }

    /// Makes a client's key pair and writes both files, which must not exist; the client may connect from then on.
    public func makeClient(_ name: String, roles: Set<Role>) throws -> (secret: String, open: String) {
        try make(KeyFile(KeyPair(), roles: roles), name, open: "\(clients)/\(name).key")
    }

    /// Reads a key pair from a file that no other user can read.
    func pair(_ name: String) throws(KeyError) -> KeyPair {
        let path = secretPath(name)
        if let problem = PrivateFile.problem(of: path) { throw KeyError(problem) }
        guard let keys = try Self.read(path).keys else {
            throw KeyError("\(path): 비밀 키가 없습니다", "\(path) contains no secret key")
        }
        return keys
    }

    /// Reads a public key, from its own file or from the pair's.
    func publicKey(_ name: String) throws(KeyError) -> PublicKey {
        let open = "\(path)/\(name).key"
        return try Self.read(access(open, F_OK) == 0 ? open : secretPath(name)).publicKey
    }

    var clients: String { "\(path)/clients" }

    /// Whether a text can be a client's name: 1 to 64 letters, digits, dots, hyphens and underscores, and no leading dot.
    public static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.unicodeScalars.allSatisfy { sign in
                switch sign {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
                default: false
                }
            }
    }

    static func read(_ path: String) throws(KeyError) -> KeyFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw KeyError(
                "\(path): 키 파일을 읽을 수 없습니다. `marquee keys new` 명령으로 키를 만드세요",
                "\(path) cannot be read; `marquee keys new` makes keys")
        }
        do throws(KeyError) {
            return try KeyFile(text: String(decoding: data, as: UTF8.self))
        } catch {
            throw KeyError("\(path): \(error.text(in: .ko))", "\(path) \(error)")
        }
    }

    private func secretPath(_ name: String) -> String { "\(path)/\(name).key_secret" }

    private func make(_ file: KeyFile, _ name: String, open: String) throws -> (secret: String, open: String) {
        do throws(DataFolder.DataFolderError) {
            _ = try DataFolder(clients)
        } catch {
            throw KeyError.notCreated(clients, reason: error.reason)
        }
        for folder in [clients, self.path] where !DurableNames.synchronizeFolder(of: folder) {
            throw KeyError.notCreated(folder, reason: BilingualText(errno: errno))
        }
        let secret = secretPath(name)
        // Checked before the first is written, because half a pair would block the next attempt.
        for path in [secret, open] where access(path, F_OK) == 0 {
            throw KeyError("\(path): 이미 있는 파일입니다. 다른 이름을 지정하세요", "\(path) exists already")
        }
        try Self.write(file.text(name: name, isSecret: true), to: secret, mode: 0o600)
        try Self.write(file.text(name: name, isSecret: false), to: open, mode: 0o644)
        return (secret, open)
    }

    /// Makes a new file (open(2) with `O_EXCL`), which is never, not for a moment, open to more than `mode` says.
    private static func write(_ text: String, to path: String, mode: mode_t) throws(KeyError) {
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw KeyError.notCreated(path, reason: BilingualText(errno: errno)) }
        defer { close(descriptor) }
        fchmod(descriptor, mode)  // the umask of every command would take the others' right to read a public key
        let bytes = Array(text.utf8)
        guard
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
            DurableNames.synchronizeFolder(of: path)
        else {
            unlink(path)
            throw KeyError("\(path): 파일을 저장할 수 없습니다. 디스크 공간을 확인하세요", "\(path) cannot be written")
        }
    }
}

/// A key in a file, in the form that CZMQ and pyzmq read and write (ZPL, RFC 4).
struct KeyFile: Sendable {
    let publicKey: PublicKey
    let keys: KeyPair?
    let roles: Set<Role>

    init(_ keys: KeyPair, roles: Set<Role> = []) {
        publicKey = keys.publicKey
        self.keys = keys
        self.roles = roles
    }

    /// Parses a file's text; an error does not quote it.
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
        let words = (values["roles"] ?? "").split(separator: " ")
        roles = Set(words.compactMap { Role(rawValue: String($0)) })
        guard roles.count == Set(words).count else {
            let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw KeyError("없는 역할이 있습니다. 사용할 수 있는 역할: \(known)", "contains an unknown role; the roles are \(known)")
        }
    }

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

    init(_ text: BilingualText) { self.text = text }

    init(_ korean: String, _ english: String) { text = BilingualText(korean, english) }

    fileprivate static func notCreated(_ path: String, reason: BilingualText) -> KeyError {
        KeyError("\(path): 파일을 만들 수 없습니다(\(reason.text(in: .ko)))", "\(path) cannot be created: \(reason)")
    }
}
