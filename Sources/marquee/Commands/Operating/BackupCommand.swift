import BoxOffice
import Contract
import EventStore
import Operations

/// `marquee backup`
struct BackupCommand: Subcommand {
    static let usage = Usage(
        name: "backup", arguments: "FILE",
        summary: "Copies the worker's database to FILE, also while the worker runs.",
        details: """
            FILE must not exist; it appears when it is complete, verified and on disk. Backups of worker and notifier
            need not be from the same time.
            """,
        options: [.alerts])

    private let options: BackupOptions

    init(_ arguments: Arguments) throws(UsageError) {
        options = try BackupOptions(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let log = try configuration.existingLogDatabase(ofAlerts: options.isOfAlerts)
        try log.backUp(to: options.file)
        Console.print("\(log.path) is backed up in \(options.file)")
        return .done
    }
}

/// `marquee restore`
struct RestoreCommand: Subcommand {
    static let usage = Usage(
        name: "restore", arguments: "FILE",
        summary: "Replaces the worker's database by a copy of a backup, while no process has it open.",
        details: """
            FILE is verified first and not changed; the replaced database is kept beside it. The restored log has a new
            epoch: subscribers start again. FILE may be a damaged database itself, to keep its readable events.
            """,
        options: [.alerts])

    private let options: BackupOptions

    init(_ arguments: Arguments) throws(UsageError) {
        options = try BackupOptions(arguments)
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let (file, isOfAlerts) = (options.file, options.isOfAlerts)
        let other = configuration.logDatabase(ofAlerts: !isOfAlerts)
        guard !other.fits(file) else {
            Console.printError(
                "marquee: \(file) is a database of the \(other.owner): restore it with\(isOfAlerts ? "out" : "") --alerts"
            )
            return .failed
        }
        _ = try DataFolder(configuration.dataFolder)
        let log = configuration.logDatabase(ofAlerts: isOfAlerts)
        let kept = try log.restore(from: file)
        let contents = try log.contents()
        Console.print("\(log.path): \(contents.events.grouped) events, now of epoch \(contents.epoch)")
        if let kept { Console.print("kept what was there: \(kept)") }
        return .done
    }
}

/// The arguments of a command that copies a database to or from a file.
private struct BackupOptions {
    let file: String
    let isOfAlerts: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        file = try arguments.onlyPositional("FILE")
        isOfAlerts = arguments.has("--alerts")
    }
}
