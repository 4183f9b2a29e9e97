import Operations
import Worker

/// `marquee worker`
struct WorkerCommand: Subcommand {
    static let usage = Usage(
        name: "worker", summary: "Turns requests into ranking, movie and poster events.",
        details: "Listens on MARQUEE_REQUESTS, MARQUEE_COMMANDS and MARQUEE_EVENTS until SIGINT or SIGTERM.",
        options: [
            ParentMonitor.option,
            Usage.Option(
                name: "--sandbox", meaning: "without MARQUEE_KOBIS_KEY, use the sandbox at MARQUEE_SANDBOX_HTTP instead"
            ),
            Usage.Option(
                name: daysOption, value: "N",
                meaning: "how many days a new log begins with that fire alerts (default 3)"),
            .crashAt,
        ])

    /// The option for the number of days that are fetched live.
    static let daysOption = "--days"

    private let days: Int
    private let fallsBackOnSandbox: Bool
    private let isAttached: Bool
    private let failPoints: FailPoints

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        isAttached = arguments.has(ParentMonitor.option.name)
        fallsBackOnSandbox = arguments.has("--sandbox")
        days = try arguments.dayCount(Self.daysOption) ?? WorkerProcess.usualLiveDays
        failPoints = try arguments.failPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        if isAttached { ParentMonitor.start() }
        let configuration = fallsBackOnSandbox ? configuration.withSandbox() : configuration
        let logger = configuration.logger("worker")
        let worker = WorkerProcess(configuration, liveDays: days, logger: logger, failPoints: failPoints)
        try await worker.run(until: signals.first)
        return .done
    }
}
