import Contract
import FoundationEssentials
import JSONCoding
import Messaging
import Networking
import ServiceRuntime
import Text
import ZeroMQ

struct StatusCommand: Subcommand {
    static var usage: Usage {
        Usage(
            name: "status",
            summary: localized(
                "프로세스의 상태를 보여 줍니다. 응답이 없으면 실패합니다.", "Shows the status of a process, and fails if it does not answer."),
            details: localized(
                "기본 대상은 수집 서버입니다. 컨테이너의 상태 확인에도 씁니다.",
                "Asks the worker by default. Containers use it as their health check."),
            options: [
                Usage.Option("--alerts", "알림 서버", "ask the notifier"),
                Usage.Option("--board", "보드", "ask the board"),
                Usage.Option("--sandbox", "샌드박스", "ask the sandbox"),
                Usage.Option("--json", "프로세스의 응답을 그대로 출력", "print the reply of the process as it is"),
            ])
    }

    /// The option that selects another process than the worker.
    private let process: String?
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        let processes = ["--alerts", "--board", "--sandbox"].filter(arguments.has)
        process = processes.first
        printsJSON = arguments.has("--json")
        guard processes.count <= 1 else {
            throw UsageError(
                "--alerts, --board, --sandbox는 함께 쓸 수 없습니다", "--alerts, --board and --sandbox exclude each other")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        switch process {
        case "--sandbox": await printHealth(of: localized("샌드박스", "Sandbox"), at: configuration.sandboxHTTP.url)
        case "--board": await printHealth(of: localized("보드", "Board"), at: configuration.boardHTTP.url)
        default: try await printStatus(configuration, isOfNotifier: process == "--alerts")
        }
    }

    private func printStatus(_ configuration: Configuration, isOfNotifier: Bool) async throws -> ExitStatus {
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(
            io, addresses: isOfNotifier ? configuration.reachableAlertCommands : configuration.reachableCommands)
        let reply = try await client.ask("status", within: .seconds(10))
        await io.shutdown()
        if let failure = reply.failure { return failure.report() }
        if printsJSON {
            Console.print(String(decoding: reply.body, as: UTF8.self))
        } else {
            let text = StatusText(
                status: try JSON.decode(from: reply.body), address: await client.address, isOfNotifier: isOfNotifier)
            text.lines.forEach(Console.print)
        }
        return .done
    }

    /// Prints the answer of `/healthz`, and fails unless it says that the process is healthy.
    private func printHealth(of process: String, at url: String) async -> ExitStatus {
        let client = HTTPClient(retry: .never)
        let request = HTTPRequest("\(url)/healthz", deadline: .seconds(3))
        let endpoint = APICall<(isHealthy: Bool, text: String)>(service: "health", request: request) {
            let lines = String(decoding: $0.body, as: UTF8.self).split(whereSeparator: \.isNewline)
            return ($0.status == 200, lines.joined(separator: "\n"))
        }
        do throws(UpstreamError) {
            let health = try await client.send(endpoint)
            if printsJSON {
                Console.print(health.text)
            } else {
                let state = health.isHealthy ? localized("정상", "running") : TerminalColor.red.paint(health.text)
                Console.print("\(process)  \(url)  \(state)")
            }
            return health.isHealthy ? .done : .failed
        } catch {
            Console.printError("marquee: \(error.text(of: url))")
            return .timedOut
        }
    }
}
