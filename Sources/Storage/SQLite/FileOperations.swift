import Glibc

/// The system calls for copying and replacing whole files.
enum FileOperations {
    /// The permissions of a new file: a database may hold what no other user of the machine may read.
    ///
    /// SQLite creates the write-ahead log and the other files beside a database with the permissions of the database.
    static let mode: mode_t = 0o600

    static func create(_ path: String) throws(DatabaseError) {
        let descriptor = try call("creating", path) { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
        close(descriptor)
    }

    /// Writes a file, or the names in a folder, to the disk with fsync(2). Not for a database that this process has open.
    static func synchronize(_ path: String) throws(DatabaseError) {
        let descriptor = try call("opening", path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        _ = try call("syncing", path) { fsync(descriptor) }
    }

    /// Writes what a file holds over itself, and syncs it, so that what is read from it is on disk. Does nothing if there
    /// is no file. Not for a file that this process has open.
    static func rewrite(_ path: String) throws(DatabaseError) {
        guard exists(path) else { return }
        let descriptor = try call("opening", path) { open(path, O_RDWR | O_CLOEXEC) }
        defer { close(descriptor) }
        var (bytes, offset) = ([UInt8](repeating: 0, count: 1 << 20), 0)
        while true {
            let count = Int(try call("reading", path) { Int32(pread(descriptor, &bytes, bytes.count, offset)) })
            guard count > 0 else { break }
            let written = Int(try call("writing", path) { Int32(pwrite(descriptor, bytes, count, offset)) })
            offset += written
        }
        _ = try call("syncing", path) { fsync(descriptor) }
    }

    /// Renames a file that no process has open; when it returns, the file and its new name are on disk.
    static func move(_ path: String, to other: String) throws(DatabaseError) {
        try synchronize(path)
        _ = try call("renaming", path) { rename(path, other) }
        try synchronize(folder(of: other))
    }

    /// Links a file to the first free name made of `prefix` and a number, and returns that name.
    static func linkToFreeName(_ path: String, prefix: String) throws(DatabaseError) -> String {
        var number = 1
        while link(path, "\(prefix)\(number)") != 0 {
            let status = errno
            if status != EEXIST { throw DatabaseError("linking", path, errno: status) }
            number += 1
        }
        return "\(prefix)\(number)"
    }

    static func remove(_ path: String) throws(DatabaseError) {
        guard exists(path) else { return }
        _ = try call("removing", path) { unlink(path) }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    static func hasContent(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// Returns a description of another process that has the database open; nil if there is none.
    ///
    /// Such a process holds SQLite's POSIX lock on the file. Not for a database that this process has open: its own locks
    /// are not reported, and this call would release them.
    static func otherProcess(using path: String) throws(DatabaseError) -> String? {
        guard exists(path) else { return nil }
        let descriptor = try call("opening", path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        var lock = flock()  // of the whole file
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = try call("reading the locks of", path) { fcntl(descriptor, F_GETLK, &lock) }
        if lock.l_type == Int16(F_UNLCK) { return nil }
        // The kernel reports no id for a process in another container.
        return lock.l_pid > 0 ? "process \(lock.l_pid)" : "another process"
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func call(
        _ action: String, _ path: String, _ body: () -> Int32
    ) throws(DatabaseError) -> Int32 {
        while true {
            let (result, status) = (body(), errno)
            if result >= 0 { return result }
            if status != EINTR { throw DatabaseError(action, path, errno: status) }
        }
    }
}

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
final class FileLock {
    private static let digits = 20

    private let descriptor: Int32
    let acknowledgedCommits: Int

    /// Takes the lock of the database at `path`.
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
