/// The failure of a database operation: the action, the database, the reason, and the operator's remedy.
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
        /// Another program has locked the database, or used up its connections, for longer than this program waits.
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
