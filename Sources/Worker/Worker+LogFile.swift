public import Events

extension Worker {
    /// The name of its database in the data folder.
    static let databaseName = "worker.db"

    /// Its database in a data folder, for those who care for it from outside.
    public static func logFile(inFolder folder: String) -> LogFile {
        logFile(at: "\(folder)/\(databaseName)")
    }

    /// A copy of its database, wherever that is.
    public static func logFile(at path: String) -> LogFile {
        LogFile(path: path, owner: "worker", schema: Journal.schema)
    }
}
