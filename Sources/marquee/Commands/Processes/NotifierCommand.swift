import BoxOffice
import Notifier
import Operations

/// `marquee notifier`
struct NotifierCommand: Subcommand {
    static let usage = Usage(
        name: "notifier", summary: "Turns ranking events into alerts about who entered, left, rose, fell and leads.",
        details: """
            Reads MARQUEE_EVENTS, applies the rules of MARQUEE_RULES or the built-in ones, publishes on MARQUEE_ALERTS, and
            sends alerts to the sinks in MARQUEE_RULES, until SIGINT or SIGTERM. SIGHUP makes it read MARQUEE_RULES again:
            a file with mistakes is logged, and the former rules stay in force.
            """,
        options: [
            ParentMonitor.option,
            Usage.Option(
                name: "--since", value: "DATE",
                meaning: "publish the alerts of days from DATE on that are in the log already"),
            .ranks,
            Usage.Option(name: "--dry-run", meaning: "send nothing to the sinks, and print what would be sent"),
            .crashAt,
        ])

    private let since: KoreanDate?
    private let isAttached: Bool
    private let ranks: Int?
    private let isDryRun: Bool
    private let failPoints: FailPoints

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        isAttached = arguments.has(ParentMonitor.option.name)
        since = try arguments.value("--since", expected: "a date such as 2024-06-04") { KoreanDate($0) }
        ranks = try arguments.ranks()
        isDryRun = arguments.has("--dry-run")
        failPoints = try arguments.failPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals(reloadsOnHangup: true)
        if isAttached { ParentMonitor.start() }
        let file = try configuration.ruleFile(ranks: ranks)
        let logger = logger(configuration, for: file)
        let reloading = RuleFileReloading(requests: signals.reloads) {
            let file = try configuration.ruleFile(ranks: ranks)
            return (file, self.logger(configuration, for: file))
        }
        let notifier = NotifierProcess(
            configuration, rules: file.rules, since: since, sinks: file.sinks,
            dryRun: isDryRun ? Console.print : nil, reloading: reloading, logger: logger, failPoints: failPoints)
        try await notifier.run(until: signals.first)
        return .done
    }

    /// Returns a logger that redacts the secrets of a rule file.
    private func logger(_ configuration: Configuration, for file: RuleFile) -> Logger {
        configuration.logger("notifier", secrets: file.sinks.flatMap(\.secrets))
    }
}
