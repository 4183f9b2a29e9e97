import Operations
import SQLite

extension ReadModel {
    /// Opens the read model's file, or makes a new one in the place of one that this version cannot use.
    static func open(_ path: String, logger: Logger) throws -> Database {
        try Database.openOrRecreate(path: path, schema: schema) { error in
            logger.warning("the board's memory cannot be used, and is read anew from the logs", [.error: "\(error)"])
        }
    }
}
