/// Why something could not be done with a database: what was being done, to which file, why it failed, what helps.
///
/// Bound values never appear in it: statements are quoted with their placeholders.
public struct DatabaseError: Error, Hashable, Sendable {
    /// What went wrong, in few enough words to count them in a metric.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The file or its folder cannot be opened.
        case cannotOpen
        /// Another process, or another `Database` of this one, has the file open for writing.
        case inUse
        /// The file or its folder may not be written.
        case readOnly
        /// The disk, or the database's own size limit, is full.
        case full
        /// Another program held the file's lock for longer than we wait.
        case busy
        /// The file is something else.
        case notADatabase
        /// The file is a database, but damaged.
        case corrupt
        /// The file is another program's database.
        case foreign
        /// A newer version of this program has written the file.
        case newerSchema
        /// An older version of this program has written the file, and it is only to be read.
        case olderSchema
        /// There is a file already where a new one is to be made.
        case exists
        /// A rule of a table forbids the change.
        case constraint
        /// The disk failed to read or write.
        case disk
        /// The database has been closed.
        case closed
        /// Anything else: most likely our own mistake.
        case other
    }

    /// What went wrong.
    public let kind: Kind
    /// What was being done, such as `opening`.
    public let action: String
    /// The database's file.
    public let path: String
    /// Why it failed, in SQLite's or the system's words.
    public let reason: String
    /// SQLite's extended result code or the system's `errno`, if one of them said so.
    public let code: Int?

    init(_ kind: Kind, _ action: String, _ path: String, reason: String, code: Int? = nil) {
        self.kind = kind
        self.action = action
        self.path = path
        self.reason = reason
        self.code = code
    }

    /// Whether the same may succeed later without any change of ours.
    public var isRetryable: Bool {
        switch kind {
        case .busy, .full: true
        case .cannotOpen, .inUse, .readOnly, .notADatabase, .corrupt, .foreign, .newerSchema, .olderSchema, .exists,
            .constraint, .disk, .closed, .other:
            false
        }
    }

    /// What the operator can do about it, if anything.
    public var advice: String? {
        switch kind {
        case .cannotOpen: "check that its folder exists and that this user may read and write it"
        case .inUse: "stop the other process, or use another folder"
        case .readOnly: "make the folder and the file writable for this user"
        case .full: "free space on its disk"
        case .busy: "close the other program that uses the file, or wait for it"
        case .notADatabase, .foreign: "move the file away, or use another folder"
        case .corrupt: "restore a backup: `marquee restore` keeps this file aside"
        case .newerSchema: "run the newer version, or restore a backup from before the update"
        case .olderSchema: "start the process it belongs to once, which brings it up to date"
        case .exists: "choose another name"
        case .disk: "check the disk and the system's log"
        case .constraint, .closed, .other: nil
        }
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The whole story in one line.
    public var description: String {
        let code = code.map { " (code \($0))" } ?? ""
        let advice = advice.map { "; \($0)" } ?? ""
        return "\(action) \(path): \(reason)\(code)\(advice)"
    }
}
