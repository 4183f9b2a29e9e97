public import BoxOffice
public import Events

extension Notifier {
    /// The name of its database in the data folder.
    static let databaseName = "notifier.db"

    /// Its database in a data folder, for those who care for it from outside.
    public static func logFile(inFolder folder: String) -> LogFile {
        LogFile(path: "\(folder)/\(databaseName)", owner: "notifier", schema: Ledger.schema)
    }

    /// Its database at `path`, for those who care for it from outside.
    public static func logFile(at path: String) -> LogFile {
        LogFile(path: path, owner: "notifier", schema: Ledger.schema)
    }

    /// What the notifier with this database only learnt from, and from which day on it was asked for alerts.
    public static func memory(in file: LogFile) throws -> (history: History, since: KoreanDate?) {
        try file.read { _, connection in
            let reading = try Ledger.reading(in: connection)
            return (reading?.history ?? .none, reading?.since)
        }
    }
}
