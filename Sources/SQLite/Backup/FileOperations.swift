import Glibc

/// What copying and replacing whole files takes of the system; each call is on disk only once `synchronize` has returned.
enum FileOperations {
    /// Makes an empty file that was not there.
    static func make(_ path: String) throws(DatabaseError) {
        let descriptor = try call("making", path) { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
        close(descriptor)
    }

    /// Has a file, or the names in a folder, on disk: `fsync(2)`. Not for a database that this process has open.
    static func synchronize(_ path: String) throws(DatabaseError) {
        let descriptor = try call("opening", path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        _ = try call("syncing", path) { fsync(descriptor) }
    }

    /// Renames a file, over another if there is one.
    static func move(_ path: String, to other: String) throws(DatabaseError) {
        _ = try call("renaming", path) { rename(path, other) }
    }

    /// Gives a file a second name that is free, made of `prefix` and a number, and returns it.
    static func link(_ path: String, asFirstFreeAfter prefix: String) throws(DatabaseError) -> String {
        var number = 1
        while Glibc.link(path, "\(prefix)\(number)") != 0 {
            let status = errno
            if status != EEXIST { throw DatabaseError("keeping", path, errno: status) }
            number += 1
        }
        return "\(prefix)\(number)"
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws(DatabaseError) {
        guard isThere(path) else { return }
        _ = try call("removing", path) { unlink(path) }
    }

    /// Whether there is a file.
    static func isThere(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// What to call another process that has the database at `path` open, told by the POSIX lock that SQLite holds on its file.
    ///
    /// Not for a database that this process has open: its own locks do not show, and would be gone.
    static func user(of path: String) throws(DatabaseError) -> String? {
        guard isThere(path) else { return nil }
        let descriptor = try call("opening", path) { open(path, O_RDONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        var lock = flock()  // all of the file
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        _ = try call("asking for the locks of", path) { fcntl(descriptor, F_GETLK, &lock) }
        if lock.l_type == Int16(F_UNLCK) { return nil }
        return lock.l_pid > 0 ? "process \(lock.l_pid)" : "another process"  // in another container, it has no number
    }

    /// The folder that a file is in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Runs a system call, again as long as a signal interrupts it.
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
