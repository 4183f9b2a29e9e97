import CSQLite
import Glibc

extension DatabaseError {
    /// Makes the error of a SQLite call that returned `code`.
    ///
    /// - Parameter handle: The connection; nil if there is none.
    init(_ action: String, _ path: String, code: Int32, on handle: OpaquePointer?) {
        let kind = Kind(code: code)
        var reason = String(cString: handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle))
        if kind == .cannotOpen || kind == .disk, let handle {
            let errno = sqlite3_system_errno(handle)  // because SQLite's own text is only "disk I/O error"
            if errno != 0 { reason += ": " + String(cString: strerror(errno)) }
        }
        if let action = Self.failedDiskAction(code) { reason += ": \(action) failed" }
        self.init(kind, action, path, reason: reason, code: Int(code))
    }

    /// What a disk has failed to do, because SQLite's own text does not say it; nil for other codes.
    private static func failedDiskAction(_ code: Int32) -> String? {
        guard code & 0xff == SQLITE_IOERR else { return nil }
        // The second byte of the extended code: SQLITE_IOERR_READ and so on, which Swift does not import.
        switch code >> 8 {
        case 1, 2: return "a read"
        case 3: return "a write"
        case 4, 5: return "a sync"
        case 6: return "a change of the file's size"
        default: return nil
        }
    }

    /// Makes the error of a system call that set `errno`.
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
    /// The kind of an extended result code, whose low byte is the primary result code.
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
