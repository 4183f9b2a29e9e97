import CSQLite
import Glibc

extension DatabaseError {
    /// The error of a call that answered `code`; `handle` is the connection, nil if there is none.
    init(_ action: String, _ path: String, code: Int32, on handle: OpaquePointer?) {
        let kind = Kind(code: code)
        var reason = String(cString: handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle))
        if kind == .cannotOpen || kind == .disk, let handle {
            let errno = sqlite3_system_errno(handle)  // SQLite's words for these are "disk I/O error" and no more
            if errno != 0 { reason += ": " + String(cString: strerror(errno)) }
        }
        self.init(kind, action, path, reason: reason, code: Int(code))
    }

    /// The error of a system call that left `errno`.
    init(_ action: String, _ path: String, errno: Int32) {
        let kind: Kind =
            switch errno {
            case EACCES, EPERM, EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            case EEXIST: .exists
            default: .cannotOpen
            }
        self.init(kind, action, path, reason: String(cString: strerror(errno)), code: Int(errno))
    }
}

extension DatabaseError.Kind {
    /// The kind of an extended result code; its low byte is the primary one.
    fileprivate init(code: Int32) {
        self =
            switch code & 0xff {
            case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen
            case SQLITE_READONLY: .readOnly
            case SQLITE_FULL: .full
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_IOERR: .disk
            default: .other
            }
    }
}
