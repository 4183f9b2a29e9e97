import Glibc
import Storage

/// The file in the data folder that names the worker's run, so that the next run takes over its requests at once.
///
/// It is locked by `flock(2)` as long as the process lives: two workers with one database need two folders.
final class RunFile: Sendable {
    static let name = "worker-run"

    private let descriptor: Int32
    /// The run before, which has ended; nil if there was none.
    let predecessor: Int?

    /// Takes the lock, and writes the name of this run.
    ///
    /// - Throws: A `DatabaseError` of the kind `inUse` if another worker has the folder.
    init(_ path: String, run: Int) throws(DatabaseError) {
        // Never removed: otherwise one process could lock the removed file and another a new one.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let status = errno
            if descriptor >= 0 { close(descriptor) }
            let isLocked = status == EWOULDBLOCK
            let reason = isLocked ? "another worker has this folder" : String(cString: strerror(status))
            throw DatabaseError(isLocked ? .inUse : .cannotOpen, "opening", path, reason: reason)
        }
        self.descriptor = descriptor
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        predecessor = Int(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
        // Not synced, and not checked: without it, the next run waits until this one counts as dead.
        let text = Array("\(run)".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit {
        close(descriptor)
    }
}
