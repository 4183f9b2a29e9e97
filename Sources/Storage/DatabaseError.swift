import CPostgreSQL
import CSQLite
import Glibc

/// The failure of a database operation: the action, the database, the reason, and the operator's remedy.
///
/// It never contains bound values: statements are quoted with their placeholders.
public struct DatabaseError: Error, Hashable, Sendable {
    /// The kinds of failure that callers distinguish; the raw value is the code for metrics.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case cannotOpen
        /// Another process, or another `Database` of this one, has the file open for writing.
        case inUse
        case readOnly
        /// The disk is full, or the database has reached its size limit.
        case full
        /// Another program has locked the database, or used up its connections, for longer than this program waits.
        case busy
        case notADatabase
        case corrupt
        case foreign
        /// A newer version of this program has written the file.
        case newerSchema
        /// An older version of this program has written the file, which can only be read here.
        case olderSchema
        case exists
        case constraint
        case disk
        case closed
        /// No server can be reached, or the connection to it was lost.
        case unreachable
        /// The server does not let this user, or this program, do it.
        case refused
        /// The server is not one that this program can use.
        case unsupported
        /// The database is on a server, and this is done with files only.
        case remote
        /// Any other failure, most likely a bug in this program.
        case other
    }

    /// The kind of failure.
    public let kind: Kind
    /// The action that failed, such as `opening`.
    public let action: String
    /// The path of the database file, or the address of the server without the password.
    public let database: String
    /// Why the action failed, in the words of SQLite or the system if the failure is theirs.
    public let reason: String
    /// SQLite's extended result code or the system's `errno`; nil if neither reported the failure.
    public let code: Int?

    /// Makes an error.
    public init(_ kind: Kind, _ action: String, _ database: String, reason: String, code: Int? = nil) {
        self.kind = kind
        self.action = action
        self.database = database
        self.reason = reason
        self.code = code
    }

    /// Whether the same action may succeed later without a change of its arguments.
    public var isRetryable: Bool {
        [.busy, .full, .unreachable].contains(kind)
    }

    /// What the operator can do about it; nil if nothing.
    public var advice: String? {
        switch kind {
        case .cannotOpen: "check that its folder exists and that this user can read and write it"
        case .inUse: "stop the other process, or use another folder or database"
        case .readOnly: "make the folder and the file writable for this user"
        case .full: "free space on its disk"
        case .busy: "another program keeps it busy: close that one, or wait"
        case .notADatabase, .foreign: "move the file away, or use another folder or database"
        case .corrupt: "restore a backup with `marquee restore`, which keeps this file under another name"
        case .newerSchema: "run the newer version, or restore a backup from before the update"
        case .olderSchema: "start the process that owns the file once, which updates it"
        case .exists: "choose another name"
        case .disk: "check the disk and the system's log"
        case .unreachable: "check that the server runs and that this machine reaches it"
        case .refused: "check user, password, database and rights in MARQUEE_DATABASE"
        case .unsupported: "use PostgreSQL 14 or later with encoding UTF8, without a pooler"
        case .remote: "use PostgreSQL's own tools, such as pg_dump and pg_restore"
        case .constraint, .closed, .other: nil
        }
    }
}

extension DatabaseError: CustomStringConvertible {
    /// One line: `opening PATH: REASON (code CODE); ADVICE`.
    public var description: String {
        let code = code.map { " (code \($0))" } ?? ""
        let advice = advice.map { "; \($0)" } ?? ""
        return "\(action) \(database): \(reason)\(code)\(advice)"
    }
}

extension DatabaseError {
    /// Makes the error of a SQLite call that returned `code`.
    init(_ action: String, _ path: String, code: Int32, on handle: OpaquePointer?) {
        let kind = Kind(code: code)
        var reason = String(cString: handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle))
        if kind == .cannotOpen || kind == .disk, let handle {
            let errno = sqlite3_system_errno(handle)  // because SQLite's own text is only "disk I/O error"
            if errno != 0 { reason += ": " + String(cString: strerror(errno)) }
        }
        if kind == .disk, let action = Self.diskActions[code >> 8] { reason += ": \(action) failed" }
        self.init(kind, action, path, reason: reason, code: Int(code))
    }

    /// What a disk has failed to do, by the second byte of the extended code (SQLITE_IOERR_READ and so on, which Swift does
    /// not import), because SQLite's own text does not say it.
    private static let diskActions: [Int32: String] = [
        1: "a read", 2: "a read", 3: "a write", 4: "a sync", 5: "a sync", 6: "a change of the file's size",
    ]

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

    /// Makes the error of a statement that failed, from what libpq returned.
    init(_ action: String, _ name: String, _ result: OpaquePointer?) {
        // Not the detail, which has the values of a row.
        func field(_ field: Character) -> String? {
            PQresultErrorField(result, Int32(field.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let state = field("C")
        // An error that the server has not sent is one of the connection.
        let kind = state.map(Kind.init(state:)) ?? .unreachable
        // The message of a value that does not fit (class 22) repeats it.
        let message = state?.hasPrefix("22") == true ? "a value does not fit" : field("M")
        let reason = message ?? "the connection is lost"
        self.init(kind, action, name, reason: state.map { "\(reason) (\($0))" } ?? reason)
    }

    /// Makes the error of a connection that was not made, from libpq's message of one line for each host.
    ///
    /// libpq has no code for it. What cannot be told by the words may pass by itself.
    init(connectingTo name: String, message: String) {
        let refusals = [
            "authentication failed", "does not exist", "pg_hba.conf", "no password supplied", "permission denied",
        ]
        let kind: Kind = refusals.contains(where: message.contains) ? .refused : .unreachable
        let lines = message.split(separator: "\n").map { $0.trimmingPrefix { $0.isWhitespace } }
        self.init(kind, "connecting to", name, reason: lines.joined(separator: "; "))
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

    /// The kind of an SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    fileprivate init(state: String) {
        self =
            switch state {
            case "25006": .readOnly
            case "53100": .full
            case "53300", "55P03", "40001", "40P01", "57014": .busy
            case "42501": .refused
            case "XX001", "XX002": .corrupt
            case _ where state.hasPrefix("23"): .constraint
            case _ where state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03": .unreachable
            case _ where state.hasPrefix("28") || state.hasPrefix("3D"): .refused
            case _ where state.hasPrefix("58"): .disk
            case _ where state.hasPrefix("53"): .busy
            default: .other
            }
    }
}
