import ServiceRuntime
import Text
import Worker

struct WorkerCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "worker",
            summary: localized(
                "요청을 받아 박스오피스, 영화, 포스터 이벤트를 발행합니다.", "Turns requests into ranking, movie and poster events."),
            details: localized(
                "SIGINT나 SIGTERM을 받을 때까지 MARQUEE_REQUESTS, MARQUEE_COMMANDS, MARQUEE_EVENTS에서 요청을 처리합니다.",
                "Listens on MARQUEE_REQUESTS, MARQUEE_COMMANDS and MARQUEE_EVENTS until SIGINT or SIGTERM."),
            options: [
                ParentMonitor.option,
                Usage.Option(
                    "--sandbox", "MARQUEE_KOBIS_KEY가 없으면 MARQUEE_SANDBOX_HTTP의 샌드박스를 사용",
                    "without MARQUEE_KOBIS_KEY, use the sandbox at MARQUEE_SANDBOX_HTTP instead"),
                Usage.Option(
                    daysOption, value: "N", "새로 시작할 때 알림까지 보낼 최근 일수(기본값 3)",
                    "how many days a new log begins with that fire alerts (default 3)"),
                .crashAt,
            ])
    }

    /// The option for the number of days that are fetched live.
    static let daysOption = "--days"

    private let days: Int
    private let fallsBackOnSandbox: Bool
    private let failPoints: FailPoints

    init(_ arguments: Arguments) throws(UsageError) {
        fallsBackOnSandbox = arguments.has("--sandbox")
        days = try arguments.number(Self.daysOption, in: 1...100) ?? WorkerProcess.usualLiveDays
        failPoints = try arguments.failPoints()
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        let configuration = fallsBackOnSandbox ? configuration.withSandbox() : configuration
        let runtime = Runtime(logger: configuration.logger("worker"), failPoints: failPoints)
        let worker = WorkerProcess(configuration, liveDays: days, runtime: runtime)
        try await worker.run(until: signals.first)
        return .done
    }
}
