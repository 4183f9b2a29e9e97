import Board
import Notifier
import ServiceRuntime
import Text

struct BoardCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "board",
            summary: localized(
                "박스오피스, 영화, 알림, 프로세스 상태를 브라우저에 실시간으로 보여 줍니다.",
                "Shows charts, movies, alerts and the state of the processes, live in a browser."),
            details: localized(
                """
                MARQUEE_EVENTS와 MARQUEE_ALERTS를 읽고, 방문자가 조회하는 데이터를 수집 서버에 요청합니다. SIGINT나 SIGTERM을 받을
                때까지 MARQUEE_BOARD_HTTP에서 요청을 처리합니다. docs/board.md를 참고하세요.
                """,
                """
                Reads MARQUEE_EVENTS and MARQUEE_ALERTS, requests what visitors open from the worker, and serves
                MARQUEE_BOARD_HTTP until SIGINT or SIGTERM: see docs/board.md.
                """),
            options: [
                ParentMonitor.option,
                Usage.Option(
                    "--base-path", value: "PATH", "리버스 프록시 아래의 경로, 예: /marquee/(기본값 /)",
                    "the path under a reverse proxy, such as /marquee/ (default /)"),
                Usage.Option(
                    "--sandbox", "상품을 보여 주고 MARQUEE_SANDBOX_HTTP의 이미지를 허용",
                    "show products, and trust images of the sandbox at MARQUEE_SANDBOX_HTTP"),
                Usage.Option(
                    "--web", value: "DIR", "웹 파일 폴더(기본값: 프로그램에 포함된 것)",
                    "the folder of the web files (default: those of the program)"),
            ])
    }

    private var options = BoardProcess.Options()
    private let trustsSandbox: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        trustsSandbox = arguments.has("--sandbox")
        options.webFolder = arguments.value("--web")
        options.basePath =
            try arguments.value(
                "--base-path", expected: localized("/marquee/ 같은 경로", "a path such as /marquee/"),
                read: BasePath.init) ?? .root
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        try configuration.checkAddresses(of: .board)
        var options = options
        options.trustedImages = trustsSandbox ? configuration.sandboxHTTP.url : nil
        options.ruleHeadings = AlertRules.headings
        let runtime = Runtime(logger: configuration.logger("board"))
        let board = BoardProcess(configuration, options: options, runtime: runtime)
        try await board.run(until: signals.first)
        return .done
    }
}
