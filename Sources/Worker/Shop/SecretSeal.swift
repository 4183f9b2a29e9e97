import Contract
import Crypto
import Glibc
import ServiceRuntime
import Text

/// Seals the vendor's secret of a product order for as long as it waits in the database.
///
/// The key is a file of its own beside the database: a backup of the database does not contain it, and a secret in a copy
/// of the database, its write-ahead log or its freed blocks cannot be read without it. It does not protect against a
/// user who can read the whole data folder.
///
/// See docs/decisions/files-and-vendor-secrets.md.
struct SecretSeal: Sendable {
    static let fileName = "worker-seal.key"

    private let cipher: AESGCM

    /// Makes a seal whose key is in memory only, for databases that no other process opens.
    init() {
        cipher = AESGCM(key: AESGCM.randomKey())
    }

    /// Reads the key's file, or creates it with a random key; throws if other users can read it, too.
    init(file path: String) throws(SecretSealError) {
        if access(path, F_OK) != 0 { try Self.create(path) }
        // At each start: the process that made the file may have died before its name was on disk.
        guard DurableNames.synchronizeFolder(of: path) else { throw SecretSealError(creating: path, errno) }
        if let problem = PrivateFile.problem(of: path) { throw SecretSealError(text: problem) }
        let key: [UInt8]
        do throws(FileError) {
            key = try BoundedFile.contents(of: path, limit: AESGCM.keySize)
        } catch {
            throw SecretSealError(
                text: BilingualText(
                    "\(path): 키 파일을 읽을 수 없습니다(\(error.text(in: .ko)))", "cannot read \(path): \(error)"))
        }
        guard key.count == AESGCM.keySize else {
            throw SecretSealError(
                text: BilingualText(
                    "\(path): 손상된 키 파일입니다(\(AESGCM.keySize)바이트가 아니라 \(key.count)바이트). 삭제하면 새 키를 만들지만, "
                        + "판매자 비밀키와 함께 대기 중인 상품 요청은 실패합니다",
                    "\(path) has \(key.count) bytes instead of \(AESGCM.keySize); delete it to make a new "
                        + "key, with which orders that wait with a secret of their own fail"))
        }
        cipher = AESGCM(key: key)
    }

    func seal(_ secret: String, of id: RequestID) -> [UInt8] {
        cipher.seal(Array(secret.utf8), context: Array(id.description.utf8))
    }

    /// Returns a stored secret; nil if it was sealed with another key or belongs to another request.
    func open(_ sealed: [UInt8], of id: RequestID) -> String? {
        cipher.open(sealed, context: Array(id.description.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func create(_ path: String) throws(SecretSealError) {
        // Complete and on disk before it has its name: half a key would end every later start.
        let part = "\(path).part"
        unlink(part)
        let descriptor = Glibc.open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SecretSealError(creating: path, errno) }
        defer { close(descriptor) }
        let key = AESGCM.randomKey()
        guard write(descriptor, key, key.count) == key.count, fsync(descriptor) == 0, rename(part, path) == 0 else {
            throw SecretSealError(creating: path, errno)
        }
    }
}

struct SecretSealError: BilingualError {
    let text: BilingualText

    init(text: BilingualText) {
        self.text = text
    }

    init(creating path: String, _ status: Int32) {
        let reason = BilingualText(errno: status)
        text = BilingualText("\(path): 파일을 만들 수 없습니다(\(reason.text(in: .ko)))", "cannot create \(path): \(reason)")
    }
}
