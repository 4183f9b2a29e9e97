import Board
import Operations

/// `marquee board`
struct BoardCommand: Subcommand {
    static let usage = Usage(
        name: "board", summary: "Shows charts, films, alerts and how the processes are, in a browser, live.",
        details: """
            Reads MARQUEE_EVENTS and MARQUEE_ALERTS, asks the worker for what visitors want to see, and serves
            MARQUEE_BOARD_HTTP until SIGINT or SIGTERM: see docs/board.md.
            """,
        options: [
            ParentMonitor.option,
            Usage.Option(
                name: "--base-path", value: "PATH",
                meaning: "where a reverse proxy shows it, such as /marquee/ (default /)"),
            Usage.Option(
                name: "--sandbox",
                meaning: "there is a shop, and pictures may come from the sandbox at MARQUEE_SANDBOX_HTTP"),
            Usage.Option(
                name: "--web", value: "DIR", meaning: "the folder of the page's files (default: the program's own)"),
        ])

    private var options = BoardProcess.Options()
    private let isAttached: Bool
    private let trustsSandbox: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        isAttached = arguments.has(ParentMonitor.option.name)
        trustsSandbox = arguments.has("--sandbox")
        options.webFolder = arguments.value("--web")
        options.basePath =
            try arguments.value("--base-path", expected: "a path such as /marquee/", read: BasePath.init) ?? .root
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        if isAttached { ParentMonitor.start() }
        var options = options
        options.trustedImages = trustsSandbox ? configuration.sandboxHTTP.url : nil
        options.hasOpenMarket = trustsSandbox
        let board = BoardProcess(configuration, options: options, logger: configuration.logger("board"))
        try await board.run(until: signals.first)
        return .done
    }
}
