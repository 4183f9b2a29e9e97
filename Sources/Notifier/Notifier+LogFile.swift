public import Events

extension Notifier {
    /// The name of its database in the data folder.
    static let databaseName = "notifier.db"

    /// Its database in a data folder, for those who care for it from outside.
    public static func logFile(inFolder folder: String) -> LogFile {
        LogFile(path: "\(folder)/\(databaseName)", owner: "notifier", schema: Ledger.schema)
    }
}
