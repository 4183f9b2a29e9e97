import Glibc

/// The lock of a database's only writer: `flock(2)` on a file beside the database.
///
/// The kernel releases it when the process ends, even after `kill -9`. SQLite's exclusive locking mode would lock out
/// readers, too, which a backup needs. The lock cannot be on the database file itself, because closing any descriptor of
/// that file drops the POSIX locks that SQLite holds on it.
///
/// The file has two lines of twenty digits: the id of the process that had the lock last, and the number of commits that the
/// database has acknowledged. The second detects a database that has lost commits. SQLite cannot detect that: without its
/// write-ahead log, or with a damaged one, the database is merely older. The file is not synced; after a power loss the
/// number may be too small, but never too large.
///
/// See docs/decisions/event-log-integrity.md.
struct FileLock: ~Copyable {
    private static let digits = 20

    private let descriptor: Int32
    /// The number of commits that the database had acknowledged when the lock was taken.
    let acknowledgedCommits: Int

    /// Takes the lock of the database at `path`.
    ///
    /// - Throws: `DatabaseError` of the kind `inUse` if another process has it.
    init(database path: String) throws(DatabaseError) {
        // The file is never removed: otherwise one process could lock the removed file and another a new one.
        let descriptor = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, FileOperations.mode)
        guard descriptor >= 0 else { throw DatabaseError("opening", path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let status = errno
            defer { close(descriptor) }
            guard status == EWOULDBLOCK else { throw DatabaseError("locking", path, errno: status) }
            let owner = Self.readNumber(in: descriptor, line: 0).map { "process \($0)" } ?? "another process"
            throw DatabaseError(.inUse, "opening", path, reason: "\(owner) has it open for writing")
        }
        self.descriptor = descriptor
        acknowledgedCommits = Self.readNumber(in: descriptor, line: 1) ?? 0
        Self.write(Int(getpid()), to: descriptor, line: 0)
    }

    deinit {
        // A child process that is being started has a copy of the descriptor until it runs its own program. Only closing
        // the descriptor would leave the lock with that copy.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Writes the number of acknowledged commits, all of which are on disk.
    func recordCommits(_ count: Int) {
        Self.write(count, to: descriptor, line: 1)
    }

    private static func readNumber(in descriptor: Int32, line: Int) -> Int? {
        var bytes = [UInt8](repeating: 0, count: digits)
        guard pread(descriptor, &bytes, digits, line * (digits + 1)) == digits else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }

    // A full disk can make this fail; the earlier number is then still a true lower limit.
    private static func write(_ number: Int, to descriptor: Int32, line: Int) {
        let text = String(number)
        let bytes = Array((String(repeating: "0", count: digits - text.utf8.count) + text + "\n").utf8)
        _ = pwrite(descriptor, bytes, bytes.count, line * bytes.count)
    }
}
