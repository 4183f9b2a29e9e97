import BoxOffice
import Notifier
import Operations

/// `marquee notifier`
struct NotifierCommand: Command {
    static let usage = Usage(
        name: "notifier", summary: "Turns ranking events into alerts about who entered, left, rose, fell and leads.",
        details: """
            Reads MARQUEE_EVENTS, decides by the rules of MARQUEE_RULES if it is set, and publishes on MARQUEE_ALERTS until
            SIGINT or SIGTERM.
            """,
        options: [
            Lifeline.option,
            Usage.Option(
                name: "--since", value: "DATE",
                meaning: "fire for days from DATE on, even if a newer day is known already"),
            .ranks,
            .crashAt,
        ])

    private let since: KoreanDate?
    private let isAttached: Bool
    private let ranks: Int?
    private let crashPoints: CrashPoints

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
        isAttached = arguments.has(Lifeline.option.name)
        since = try arguments.value("--since", expected: "a date such as 2024-06-04") { KoreanDate($0) }
        ranks = try arguments.ranks()
        crashPoints = try arguments.crashPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        if isAttached { Lifeline.follow() }
        let logger = configuration.logger("notifier")
        let notifier = Notifier(
            configuration, rules: try configuration.alertRules(ranks: ranks), since: since, logger: logger,
            crashPoints: crashPoints)
        try await notifier.run(until: signals.first)
        return .done
    }
}
