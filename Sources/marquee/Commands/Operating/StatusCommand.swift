import Concurrency
import Contract
import FoundationEssentials
import Messaging
import Networking
import Operations
import ZeroMQ

/// `marquee status`
struct StatusCommand: Subcommand {
    static let usage = Usage(
        name: "status", summary: "Prints the status of a process, and fails if it does not answer.",
        details: "Asks the worker by default. Containers use it as their health check.",
        options: [
            Usage.Option(name: "--alerts", meaning: "ask the notifier"),
            Usage.Option(name: "--board", meaning: "ask the board"),
            Usage.Option(name: "--sandbox", meaning: "ask the sandbox"),
        ])

    private let asksNotifier: Bool
    private let asksBoard: Bool
    private let asksSandbox: Bool

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        asksNotifier = arguments.has("--alerts")
        asksBoard = arguments.has("--board")
        asksSandbox = arguments.has("--sandbox")
        guard [asksNotifier, asksBoard, asksSandbox].count(where: \.self) <= 1 else {
            throw UsageError("--alerts, --board and --sandbox exclude each other")
        }
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        if asksSandbox { return await printHealth(of: "sandbox", at: "\(configuration.sandboxHTTP.url)/healthz") }
        if asksBoard { return await printHealth(of: "board", at: "\(configuration.boardHTTP.url)/healthz") }
        let address = (asksNotifier ? configuration.alertCommands : configuration.commands).reachable
        let io = try configuration.makeClientThread()
        let client = try await CommandClient(io, address: address)
        do {
            let reply = try await withDeadline(.seconds(3), orThrow: ResponseTimeoutError(address: address)) {
                try await client.ask("status")
            }
            await io.shutdown()
            Console.print(String(decoding: reply.body, as: UTF8.self))
            return reply.word == "status" ? .done : .failed
        } catch let error as ResponseTimeoutError {
            Console.printError("marquee: \(error)")
            return .timedOut
        }
    }

    private func printHealth(of service: String, at url: String) async -> ExitStatus {
        let client = HTTPClient(retry: .never)
        let endpoint = Endpoint<String>(service: service, request: HTTPRequest(url, deadline: .seconds(3))) {
            String(decoding: $0.body, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: "\n")
        }
        do throws(UpstreamError) {
            Console.print(try await client.send(endpoint))
            return .done
        } catch {
            Console.printError("marquee: \(error.message)")
            return .timedOut
        }
    }
}
