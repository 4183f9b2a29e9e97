import Operations
import Sandbox

/// `marquee sandbox`
struct SandboxCommand: Subcommand {
    static let usage = Usage(
        name: "sandbox",
        summary: "Simulates KOBIS, Kakao and the Open Market, for machines without keys and for tests.",
        details: """
            Serves generated charts of every day from 2003-11-11 to yesterday on MARQUEE_SANDBOX_HTTP, or recorded
            responses. Faults can be set at the start or while it runs: see docs/sandbox.md.
            """,
        options: [
            ParentMonitor.option,
            Usage.Option(name: "--seed", value: "N", meaning: "the seed of the generated world (default 1)"),
            Usage.Option(name: "--recorded", value: "DIR", meaning: "serve the recorded responses in this folder"),
            Usage.Option(name: "--kobis-key", value: "KEY", meaning: "accept only this KOBIS key"),
            Usage.Option(name: "--kakao-key", value: "KEY", meaning: "accept only this Kakao key"),
            Usage.Option(
                name: "--fault", value: "NAME=VALUE",
                meaning: "a fault to inject, such as kobis.latency=200 or kobis.errors.503=0.2", isRepeatable: true),
        ])

    private var options = SandboxOptions()
    private let isAttached: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        isAttached = arguments.has(ParentMonitor.option.name)
        options.seed =
            try arguments.value("--seed", expected: "a whole number") { UInt64($0) } ?? options.seed
        options.recordings = arguments.value("--recorded")
        options.kobisKey = arguments.value("--kobis-key")
        options.kakaoKey = arguments.value("--kakao-key")
        for fault in arguments.values("--fault") {
            do throws(SandboxError) {
                try options.faults.set(fault)
            } catch {
                throw UsageError("\(error)")
            }
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        if isAttached { ParentMonitor.start() }
        let logger = configuration.logger("sandbox")
        var options = options
        options.address = configuration.sandboxHTTP.description
        options.hosts = configuration.boardHosts
        let server = try SandboxServer(options: options)
        logger.info("sandbox ready", [.address: server.address])
        await signals.first()
        await server.shutdown()
        logger.info("sandbox stopped")
        return .done
    }
}
