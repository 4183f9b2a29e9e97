import BoxOffice
import Contract
import EventStore
import Operations

/// `marquee restore`
struct RestoreCommand: Subcommand {
    static let usage = Usage(
        name: "restore", arguments: "FILE",
        summary: "Puts a copy of a backup in the place of the worker's database, while nobody has that open.",
        details: """
            FILE is checked first and stays as it is; what it replaces is kept beside it. The restored log is a new
            epoch: subscribers begin anew. FILE may be the database itself, to go on with what is left of it.
            """,
        options: [.alerts])

    private let file: String
    private let isOfAlerts: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        file = try arguments.onlyPositional("FILE")
        isOfAlerts = arguments.has("--alerts")
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let other = configuration.logFile(ofAlerts: !isOfAlerts)
        guard !other.fits(file) else {
            Console.complain(
                "marquee: \(file) is of the \(other.owner): restore it with\(isOfAlerts ? "out" : "") --alerts")
            return .failed
        }
        _ = try DataFolder(configuration.dataFolder)
        let log = configuration.logFile(ofAlerts: isOfAlerts)
        let kept = try log.restore(from: file)
        let contents = try log.contents()
        Console.print("\(log.path): \(contents.events.grouped) events, now of epoch \(contents.epoch)")
        if let kept { Console.print("kept what was there: \(kept)") }
        return .done
    }
}
