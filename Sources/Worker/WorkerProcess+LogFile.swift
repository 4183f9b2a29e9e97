public import EventStore

extension WorkerProcess {
    /// The name of its database in the data folder.
    static let databaseName = "worker.db"

    /// Its database in a data folder, for those who care for it from outside.
    public static func logFile(inFolder folder: String) -> LogDatabase {
        logFile(at: "\(folder)/\(databaseName)")
    }

    /// A copy of its database, wherever that is.
    public static func logFile(at path: String) -> LogDatabase {
        LogDatabase(path: path, owner: "worker", schema: WorkerStore.schema)
    }
}
