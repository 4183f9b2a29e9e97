import Glibc

/// The right to be a database's only writer, held as `flock(2)` on a file of its own beside the database.
///
/// The kernel releases it with the process, so `kill -9` leaves nothing stale. SQLite's exclusive locking mode would
/// shut out readers, too, which a backup needs. The database's own file can't carry the lock: closing any descriptor of
/// it drops the POSIX locks that SQLite holds there.
///
/// The file has two lines of twenty digits: the process that had the lock last, and how many commits the database had
/// when it acknowledged the last one. By the second, a database is noticed that has lost some, which SQLite can't: without
/// its write-ahead log, or with a damaged one, it is merely older. It is not synced, since it need not be exact: after a
/// power loss it may tell of fewer commits than there are, never of more.
///
/// See docs/decisions/0006-event-log-integrity.md.
struct FileLock: ~Copyable {
    private static let digits = 20

    private let descriptor: Int32
    /// How many commits were acknowledged before, as far as is known.
    let acknowledged: Int

    /// Takes the lock of the database at `path`, or says who has it.
    init(database path: String) throws(DatabaseError) {
        // The file is never removed: a process could otherwise lock a file that the next one no longer finds.
        let descriptor = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw DatabaseError("opening", path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let status = errno
            defer { close(descriptor) }
            guard status == EWOULDBLOCK else { throw DatabaseError("locking", path, errno: status) }
            let owner = Self.number(in: descriptor, line: 0).map { "process \($0)" } ?? "another process"
            throw DatabaseError(.inUse, "opening", path, reason: "\(owner) writes to it")
        }
        self.descriptor = descriptor
        acknowledged = Self.number(in: descriptor, line: 1) ?? 0
        Self.write(Int(getpid()), to: descriptor, line: 0)
    }

    deinit {
        // A child that is being started has a copy of the descriptor until it runs its own program; closing ours would
        // leave the lock to that one.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Notes that the database has so many commits, all of them on disk.
    func note(commits: Int) {
        Self.write(commits, to: descriptor, line: 1)
    }

    private static func number(in descriptor: Int32, line: Int) -> Int? {
        var bytes = [UInt8](repeating: 0, count: digits)
        guard pread(descriptor, &bytes, digits, line * (digits + 1)) == digits else { return nil }
        return Int(String(decoding: bytes, as: UTF8.self))
    }

    /// Writes in place, and on a full disk perhaps not: what stands there then is true as well.
    private static func write(_ number: Int, to descriptor: Int32, line: Int) {
        let text = String(number)
        let bytes = Array((String(repeating: "0", count: digits - text.utf8.count) + text + "\n").utf8)
        _ = pwrite(descriptor, bytes, bytes.count, line * bytes.count)
    }
}
