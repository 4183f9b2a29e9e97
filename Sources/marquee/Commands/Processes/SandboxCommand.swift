import Sandbox
import ServiceRuntime
import Text

struct SandboxCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "sandbox",
            summary: localized(
                "API 인증키가 없거나 테스트할 때 쓰는 영화진흥위원회·카카오·오픈마켓 모의 서버입니다.",
                "Simulates KOBIS, Kakao and the Open Market, for machines without keys and for tests."),
            details: localized(
                """
                2003-11-11부터 어제까지의 가상 박스오피스나 저장된 응답을 MARQUEE_SANDBOX_HTTP에서 제공합니다. 오류는 시작할 때나
                실행 중에 주입할 수 있습니다. docs/sandbox.md를 참고하세요.
                """,
                """
                Serves generated charts of every day from 2003-11-11 to yesterday on MARQUEE_SANDBOX_HTTP, or recorded
                responses. Faults can be set at the start or while it runs: see docs/sandbox.md.
                """),
            options: [
                ParentMonitor.option,
                Usage.Option("--seed", value: "N", "가상 데이터의 시드(기본값 1)", "the seed of the generated world (default 1)"),
                Usage.Option(
                    "--recorded", value: "DIR", "이 폴더에 저장된 응답을 제공", "serve the recorded responses in this folder"),
                Usage.Option("--kobis-key", value: "KEY", "이 영화진흥위원회 인증키만 허용", "accept only this KOBIS key"),
                Usage.Option(
                    "--fault", value: "NAME=VALUE", "주입할 오류, 예: kobis.latency=200, kobis.errors.503=0.2",
                    "a fault to inject, such as kobis.latency=200 or kobis.errors.503=0.2", isRepeatable: true),
            ])
    }

    private var options = SandboxOptions()

    init(_ arguments: Arguments) throws(UsageError) {
        options.seed =
            try arguments.value("--seed", expected: localized("정수", "a whole number")) { UInt64($0) }
            ?? options.seed
        options.recordings = arguments.value("--recorded")
        options.kobisKey = arguments.value("--kobis-key")
        for fault in arguments.values("--fault") {
            do throws(SandboxError) {
                try options.faults.set(fault)
            } catch {
                throw UsageError(error.text(in: .current))
            }
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        try configuration.checkAddresses(of: .sandbox)
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
