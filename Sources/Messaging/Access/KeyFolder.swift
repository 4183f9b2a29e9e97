import FoundationEssentials
import Glibc
import ServiceRuntime
import Text
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

    /// Makes a server's key pair, writes both files and returns their paths.
    ///
    /// - Throws: A `KeyError` if one of the files exists already or cannot be written.
    public func makeServer(_ name: String) throws -> (secret: String, open: String) {
        try make(KeyFile(KeyPair()), name, open: "\(path)/\(name).key")
    }

    /// Makes a client's key pair and writes both files; the client may connect from then on.
    ///
    /// - Throws: A `KeyError` if one of the files exists already or cannot be written.
    public func makeClient(_ name: String, roles: Set<Role>) throws -> (secret: String, open: String) {
        try make(KeyFile(KeyPair(), roles: roles), name, open: "\(clients)/\(name).key")
    }

    /// Reads a key pair.
    ///
    /// - Throws: A `KeyError` if the file cannot be read, has no secret key, or can be read by other users.
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

    /// The path of the folder with the clients' public keys.
    var clients: String { "\(path)/clients" }

    /// Whether a text can be a client's name: 1 to 64 letters, digits, dots, hyphens and underscores, and no leading dot.
    public static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
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

extension KeyError {
    fileprivate static func notCreated(_ path: String, reason: BilingualText) -> KeyError {
        KeyError("\(path): 파일을 만들 수 없습니다(\(reason.text(in: .ko)))", "\(path) cannot be created: \(reason)")
    }
}
