import CSQLite

/// The one owner of a `sqlite3 *`, and of the lock that lets it write.
struct DatabaseHandle: ~Copyable {
    let pointer: OpaquePointer
    /// Released after `deinit` has closed the connection.
    private let lock: FileLock?

    /// Opens the file with `sqlite3_open_v2`.
    init(path: String, flags: Int32, lock: consuming FileLock?) throws(DatabaseError) {
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(path, &pointer, flags, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }  // a failed opening may leave a handle that holds the message
            throw DatabaseError("opening", path, code: code, on: pointer)
        }
        self.pointer = pointer
        self.lock = lock
    }

    /// Notes in the lock's file how many commits the database has.
    func note(commits: Int) {
        switch lock {
        case .some(let lock): lock.note(commits: commits)
        case .none: break
        }
    }

    deinit {
        sqlite3_close_v2(pointer)
    }
}
