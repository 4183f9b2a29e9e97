public import BoxOffice
public import EventStore

extension NotifierProcess {
    /// The name of its database in the data folder.
    static let databaseName = "notifier.db"

    /// Its database in a data folder, for those who care for it from outside.
    public static func logFile(inFolder folder: String) -> LogDatabase {
        LogDatabase(path: "\(folder)/\(databaseName)", owner: "notifier", schema: NotifierStore.schema)
    }

    /// Its database at `path`, for those who care for it from outside.
    public static func logFile(at path: String) -> LogDatabase {
        LogDatabase(path: path, owner: "notifier", schema: NotifierStore.schema)
    }

    /// What the notifier with this database only learnt from, and from which day on it was asked for alerts.
    public static func memory(in file: LogDatabase) throws -> (history: BaselinePosition, since: KoreanDate?) {
        try file.read { _, connection in
            let reading = try NotifierStore.reading(in: connection)
            return (reading?.history ?? .none, reading?.since)
        }
    }
}
