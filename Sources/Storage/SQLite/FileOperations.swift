import Glibc

/// The system calls for copying and replacing whole files.
///
/// A change is on disk only once `synchronize` has returned.
enum FileOperations {
    /// The permissions of a new file: a database may hold what no other user of the machine may read.
    ///
    /// SQLite creates the write-ahead log and the other files beside a database with the permissions of the database.
    static let mode: mode_t = 0o600

    /// Creates an empty file; fails if it exists.
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

    /// Renames a file and replaces `other` if it exists.
    static func move(_ path: String, to other: String) throws(DatabaseError) {
        _ = try call("renaming", path) { rename(path, other) }
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

    static func canRead(_ path: String) -> Bool {
        access(path, R_OK) == 0
    }

    /// Returns whether this process may create files beside a file.
    static func canWriteFolder(of path: String) -> Bool {
        access(folder(of: path), W_OK) == 0
    }

    /// Returns whether a file exists and is not empty.
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

    /// Makes a system call, and repeats it while a signal interrupts it.
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
