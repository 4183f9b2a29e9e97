import Contract
import EventStore
import Operations

/// `marquee backup`
struct BackupCommand: Subcommand {
    static let usage = Usage(
        name: "backup", arguments: "FILE",
        summary: "Copies the worker's database to FILE, also while the worker runs.",
        details: """
            FILE must not be there yet; it appears when it is whole, checked and on disk. Copies of worker and notifier
            need not be of the same moment.
            """,
        options: [.alerts])

    private let file: String
    private let isOfAlerts: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        file = try arguments.onlyPositional("FILE")
        isOfAlerts = arguments.has("--alerts")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log = configuration.logFile(ofAlerts: isOfAlerts)
        try log.backUp(to: file)
        Console.print("\(log.path) is backed up in \(file)")
        return .done
    }
}
