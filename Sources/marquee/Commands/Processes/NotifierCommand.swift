import BoxOffice
import Notifier
import ServiceRuntime
import Text

struct NotifierCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "notifier",
            summary: localized(
                "박스오피스의 진입, 이탈, 순위 변동, 1위 교체 등을 알림으로 보냅니다.",
                "Turns ranking events into alerts about who entered, left, rose, fell and leads."),
            details: localized(
                """
                MARQUEE_EVENTS를 읽어 MARQUEE_RULES나 기본 규칙을 적용하고, MARQUEE_ALERTS로 발행하며, MARQUEE_RULES의 알림
                채널로 알림을 보냅니다. SIGINT나 SIGTERM을 받을 때까지 실행됩니다. SIGHUP을 받으면 MARQUEE_RULES를 다시 읽으며,
                파일에 오류가 있으면 로그 파일에 남기고 기존 규칙을 그대로 씁니다.
                """,
                """
                Reads MARQUEE_EVENTS, applies the rules of MARQUEE_RULES or the built-in ones, publishes on MARQUEE_ALERTS,
                and sends alerts to the sinks in MARQUEE_RULES, until SIGINT or SIGTERM. SIGHUP makes it read MARQUEE_RULES
                again: a file with mistakes is logged, and the former rules stay in force.
                """),
            options: [
                ParentMonitor.option,
                Usage.Option(
                    "--since", value: "DATE", "이미 수집된 DATE 이후 날짜의 알림도 발행",
                    "publish the alerts of days from DATE on that are in the log already"),
                Usage.Option(
                    "--dry-run", "발송하지 않고 보낼 내용만 출력", "send nothing to the sinks, and print what would be sent"),
                .crashAt,
            ])
    }

    private let since: KoreanDate?
    private let isDryRun: Bool
    private let failPoints: FailPoints

    init(_ arguments: Arguments) throws(UsageError) {
        since = try arguments.day("--since")
        isDryRun = arguments.has("--dry-run")
        failPoints = try arguments.failPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals(reloadsOnHangup: true)
        let file = try configuration.ruleFile()
        let readRules: @Sendable () throws -> (RuleFile, Logger) = {
            let file = try configuration.ruleFile()
            return (file, self.logger(configuration, for: file))
        }
        let notifier = NotifierProcess(
            configuration, rules: file.rules, since: since, sinks: file.sinks,
            dryRun: isDryRun ? Console.print : nil, reloading: (signals.reloads, readRules),
            runtime: Runtime(logger: logger(configuration, for: file), failPoints: failPoints))
        try await notifier.run(until: signals.first)
        return .done
    }

    /// Returns a logger that redacts the secrets of a rule file.
    private func logger(_ configuration: Configuration, for file: RuleFile) -> Logger {
        configuration.logger("notifier", secrets: file.sinks.flatMap(\.secrets))
    }
}
