import Operations
import Worker

/// `marquee worker`
struct WorkerCommand: Command {
    static let usage = Usage(
        name: "worker", summary: "Turns requests into ranking, movie and poster events.",
        details: "Listens on MARQUEE_REQUESTS, MARQUEE_COMMANDS and MARQUEE_EVENTS until SIGINT or SIGTERM.",
        options: [
            Lifeline.option,
            Usage.Option(
                name: "--sandbox", meaning: "without MARQUEE_KOBIS_KEY, ask the sandbox at MARQUEE_SANDBOX_HTTP instead"
            ),
            .crashAt,
        ])

    private let fallsBackOnSandbox: Bool
    private let isAttached: Bool
    private let crashPoints: CrashPoints

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
        isAttached = arguments.has(Lifeline.option.name)
        fallsBackOnSandbox = arguments.has("--sandbox")
        crashPoints = try arguments.crashPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        if isAttached { Lifeline.follow() }
        let configuration = fallsBackOnSandbox ? configuration.withSandbox() : configuration
        let logger = configuration.logger("worker")
        try await Worker(configuration, logger: logger, crashPoints: crashPoints).run(until: signals.first)
        return .done
    }
}
