import Glibc
import Operations
import SQLite

extension ReadModel {
    /// What is wrong with a file if another one helps.
    private static let useless: Set<DatabaseError.Kind> = [.corrupt, .newerSchema, .notADatabase]

    /// Opens the read model's file, or makes a new one in the place of one that this version cannot use.
    static func open(_ path: String, logger: Logger) throws -> Database {
        do throws(DatabaseError) {
            return try Database(path: path, schema: schema)
        } catch {
            guard useless.contains(error.kind) else { throw error }
            logger.warning("the board's memory cannot be used, and is read anew from the logs", [.error: "\(error)"])
            for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
            return try Database(path: path, schema: schema)
        }
    }
}
