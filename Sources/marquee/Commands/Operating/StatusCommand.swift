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

    private let asksNotifier: Bool
    private let asksBoard: Bool
    private let asksSandbox: Bool
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        asksNotifier = arguments.has("--alerts")
        asksBoard = arguments.has("--board")
        asksSandbox = arguments.has("--sandbox")
        printsJSON = arguments.has("--json")
        guard [asksNotifier, asksBoard, asksSandbox].count(where: \.self) <= 1 else {
            throw UsageError(
                "--alerts, --board, --sandbox는 함께 쓸 수 없습니다", "--alerts, --board and --sandbox exclude each other")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        if asksSandbox {
            return await printHealth(of: localized("샌드박스", "Sandbox"), at: configuration.sandboxHTTP.url)
        }
        if asksBoard {
            return await printHealth(of: localized("보드", "Board"), at: configuration.boardHTTP.url)
        }
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(
            io, addresses: asksNotifier ? configuration.reachableAlertCommands : configuration.reachableCommands)
        let reply = try await client.ask("status", within: .seconds(10))
        await io.shutdown()
        if let failure = reply.failure {
            failure.text().forEach(Console.printError)
            return .failed
        }
        if printsJSON {
            Console.print(String(decoding: reply.body, as: UTF8.self))
        } else {
            let text = StatusText(
                status: try JSON.decode(from: reply.body), address: await client.address, isOfNotifier: asksNotifier)
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
                let state = health.isHealthy ? localized("정상", "running") : health.text
                var table = TextTable([.left, .left, .left])
                table.add([process, url, state], paint: health.isHealthy ? [:] : [2: TerminalColor.red.paint])
                table.lines.forEach(Console.print)
            }
            return health.isHealthy ? .done : .failed
        } catch {
            Console.printError("marquee: \(error.text(of: url))")
            return .timedOut
        }
    }
}
