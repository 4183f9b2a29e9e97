import Glibc

/// The right to be a database's only writer, held as `flock(2)` on a file of its own beside the database.
///
/// The kernel releases it with the process, so `kill -9` leaves nothing stale. SQLite's exclusive locking mode would
/// shut out readers, too, which a backup needs. The database's own file can't carry the lock: closing any descriptor of
/// it drops the POSIX locks that SQLite holds there.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock of the database at `path`, or says who has it.
    init(database path: String) throws(DatabaseError) {
        // The file is never removed: a process could otherwise lock a file that the next one no longer finds.
        let descriptor = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw DatabaseError("opening", path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let status = errno
            defer { close(descriptor) }
            guard status == EWOULDBLOCK else { throw DatabaseError("locking", path, errno: status) }
            let owner = Self.owner(in: descriptor).map { "process \($0)" } ?? "another process"
            throw DatabaseError(.inUse, "opening", path, reason: "\(owner) writes to it")
        }
        self.descriptor = descriptor
        // For the message above only; on a full disk it is left out.
        let digits = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, digits, digits.count, 0) }
    }

    deinit {
        close(descriptor)
    }

    private static func owner(in descriptor: Int32) -> Int? {
        var digits = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &digits, digits.count, 0)
        return Int(String(decoding: digits.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
