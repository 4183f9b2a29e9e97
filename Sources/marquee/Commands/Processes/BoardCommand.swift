import Board
import Operations

/// `marquee board`
struct BoardCommand: Subcommand {
    static let usage = Usage(
        name: "board", summary: "Shows charts, movies, alerts and the state of the processes, live in a browser.",
        details: """
            Reads MARQUEE_EVENTS and MARQUEE_ALERTS, requests what visitors open from the worker, and serves
            MARQUEE_BOARD_HTTP until SIGINT or SIGTERM: see docs/board.md.
            """,
        options: [
            ParentMonitor.option,
            Usage.Option(
                name: "--base-path", value: "PATH",
                meaning: "the path under a reverse proxy, such as /marquee/ (default /)"),
            Usage.Option(
                name: "--sandbox",
                meaning: "show products, and trust images of the sandbox at MARQUEE_SANDBOX_HTTP"),
            Usage.Option(
                name: "--web", value: "DIR", meaning: "the folder of the web files (default: those of the program)"),
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
