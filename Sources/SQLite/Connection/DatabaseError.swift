import CSQLite
import Glibc

/// The failure of a database operation: the action, the file, the reason, and the operator's remedy.
///
/// It never contains bound values: statements are quoted with their placeholders.
public struct DatabaseError: Error, Hashable, Sendable {
    /// The kinds of failure that callers distinguish; the raw value is the code for metrics.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The file or its folder cannot be opened.
        case cannotOpen
        /// Another process, or another `Database` of this one, has the file open for writing.
        case inUse
        /// The file or its folder is not writable.
        case readOnly
        /// The disk is full, or the database has reached its size limit.
        case full
        /// Another program has locked the file for longer than this program waits.
        case busy
        /// The file is not a database.
        case notADatabase
        /// The database is damaged.
        case corrupt
        /// The file is another program's database.
        case foreign
        /// A newer version of this program has written the file.
        case newerSchema
        /// An older version of this program has written the file, which can only be read here.
        case olderSchema
        /// The file to create exists already.
        case exists
        /// The change violates a constraint of a table.
        case constraint
        /// The disk failed to read or write.
        case disk
        /// The database is closed.
        case closed
        /// Any other failure, most likely a bug in this program.
        case other
    }

    /// The kind of failure.
    public let kind: Kind
    /// The action that failed, such as `opening`.
    public let action: String
    /// The path of the database file.
    public let path: String
    /// Why the action failed, in the words of SQLite or the system if the failure is theirs.
    public let reason: String
    /// SQLite's extended result code or the system's `errno`; nil if neither reported the failure.
    public let code: Int?

    init(_ kind: Kind, _ action: String, _ path: String, reason: String, code: Int? = nil) {
        self.kind = kind
        self.action = action
        self.path = path
        self.reason = reason
        self.code = code
    }

    /// Whether the same action may succeed later without a change of its arguments.
    public var isRetryable: Bool {
        switch kind {
        case .busy, .full: true
        case .cannotOpen, .inUse, .readOnly, .notADatabase, .corrupt, .foreign, .newerSchema, .olderSchema, .exists,
            .constraint, .disk, .closed, .other:
            false
        }
    }

    /// What the operator can do about it; nil if nothing.
    public var advice: String? {
        switch kind {
        case .cannotOpen: "check that its folder exists and that this user can read and write it"
        case .inUse: "stop the other process, or use another folder"
        case .readOnly: "make the folder and the file writable for this user"
        case .full: "free space on its disk"
        case .busy: "close the other program that uses the file, or wait for it"
        case .notADatabase, .foreign: "move the file away, or use another folder"
        case .corrupt: "restore a backup with `marquee restore`, which keeps this file under another name"
        case .newerSchema: "run the newer version, or restore a backup from before the update"
        case .olderSchema: "start the process that owns the file once, which updates it"
        case .exists: "choose another name"
        case .disk: "check the disk and the system's log"
        case .constraint, .closed, .other: nil
        }
    }
}

extension DatabaseError: CustomStringConvertible {
    /// One line: `opening PATH: REASON (code CODE); ADVICE`.
    public var description: String {
        let code = code.map { " (code \($0))" } ?? ""
        let advice = advice.map { "; \($0)" } ?? ""
        return "\(action) \(path): \(reason)\(code)\(advice)"
    }
}

// MARK: - Codes

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
