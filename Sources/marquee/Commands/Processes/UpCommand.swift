import BoxOffice
import Contract
import FoundationEssentials
import Glibc
import Messaging
import Operations
import ZeroMQ

/// `marquee up`
struct UpCommand: Subcommand {
    static let usage = Usage(
        name: "up",
        summary: "Starts worker, notifier and board, and the sandbox if there are no keys, and shows the charts.",
        details: "All processes stop with this command. Logs and databases are in MARQUEE_DATA.",
        options: [
            Usage.Option(name: "--days", value: "N", meaning: "how many days to ask for at the start (default 7)")
        ])

    private let days: Int

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.rejectPositional()
        days =
            try arguments.value("--days", expected: "a number from 1 to 100") { text in
                Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
            } ?? 7
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        let children = try ChildProcessGroup(configuration)
        switch await firstEnding(of: children, signals, configuration) {
        case .stopped: return .done
        case .childEnded(let name, let status, let lastLogLine, let logPath):
            Console.printError("marquee: the \(name) ended with status \(status): \(lastLogLine) (\(logPath))")
            return .failed
        case .failed(let message):
            Console.printError("marquee: \(message)")
            return .failed
        }
    }

    /// The time that the processes have to end after SIGTERM, before SIGKILL.
    private static let grace = Duration.milliseconds(1_500)

    /// The reason why the command ends.
    private enum Ending: Sendable {
        case stopped
        case childEnded(String, status: Int32, lastLogLine: String, logPath: String)
        case failed(String)
    }

    /// Shows charts until a signal, the end of a process or an error; then stops all processes and returns the reason.
    private func firstEnding(
        of children: ChildProcessGroup, _ signals: TerminationSignals, _ configuration: Configuration
    ) async -> Ending {
        await withTaskGroup(of: Ending.self) { tasks in
            tasks.addTask {
                await signals.first()
                return .stopped
            }
            for child in children.processes {
                tasks.addTask {
                    let status = await child.ended()
                    return .childEnded(
                        child.name, status: status, lastLogLine: child.lastLogLine, logPath: child.logPath)
                }
            }
            tasks.addTask {
                do {
                    try await show(configuration, children)
                    return .stopped
                } catch {
                    return .failed("\(error)")
                }
            }
            let first = await tasks.next() ?? .stopped
            await stop(children)
            tasks.cancelAll()
            return first
        }
    }

    /// Sends SIGTERM to all processes, SIGKILL to those that still run after `grace`, and waits until all have ended.
    private func stop(_ children: ChildProcessGroup) async {
        children.signal(SIGTERM)
        await withTaskGroup { tasks in
            tasks.addTask {
                // Fails only if it is cancelled: all processes have ended before.
                if (try? await Task.sleep(for: Self.grace)) != nil { children.signal(SIGKILL) }
            }
            for child in children.processes { _ = await child.ended() }
            tasks.cancelAll()
        }
    }

    /// Requests the last days, the oldest first, and prints their charts and alerts until the task is cancelled.
    private func show(_ configuration: Configuration, _ children: ChildProcessGroup) async throws {
        let io = try configuration.makeClientThread()
        let yesterday = KoreanDate.yesterday(at: Date())
        printHeader(configuration, children)
        let alerts = try await EventReader(io, address: configuration.alerts.reachable, prefixes: ["alert."])
        let charts = try await EventReader(
            io, address: configuration.events.reachable, prefixes: ["ranking.day.all.\(yesterday)"])
        let client = RequestClient(
            io, commands: configuration.commands.reachable, events: configuration.events.reachable)
        // The requests wait for both subscriptions: an event that is published earlier would not be shown.
        let (chartsAreLive, chartsLive) = AsyncStream.makeStream(of: Never.self)
        let (alertsAreLive, alertsLive) = AsyncStream.makeStream(of: Never.self)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                _ = try await charts.read { events, isLive -> Never? in
                    if isLive { chartsLive.finish() }
                    for event in events { try printChart(event) }
                    return nil
                }
            }
            tasks.addTask {
                _ = try await alerts.read { events, isLive -> Never? in
                    if isLive { alertsLive.finish() }
                    for event in events { Console.print(EventFormatter(event: event).text) }
                    return nil
                }
            }
            tasks.addTask {
                for await _ in chartsAreLive {}
                for await _ in alertsAreLive {}
                try await requestDays(through: yesterday, client)
            }
            try await tasks.waitForAll()
        }
    }

    private func printHeader(_ configuration: Configuration, _ children: ChildProcessGroup) {
        Console.print(TerminalColor.bold.paint("marquee \(version)") + " · \(children.description)")
        Console.print(
            TerminalColor.dim.paint(
                "requests \(configuration.requests)  commands \(configuration.commands)  "
                    + "events \(configuration.events)  alerts \(configuration.alerts)"))
        Console.print("board " + TerminalColor.bold.paint("\(configuration.boardHTTP.url)/"))
    }

    private func printChart(_ event: Event) throws {
        Console.print("")
        ChartTable(chart: try event.data()).lines.forEach(Console.print)
        Console.print("")
    }

    /// Requests the charts of the last `days` days, the oldest first, and prints failures.
    private func requestDays(through yesterday: KoreanDate, _ client: RequestClient) async throws {
        for date in (0..<days).reversed().map({ yesterday - $0 }) where date >= .firstChart {
            do {
                let outcome = try await client.perform(Request(.day(date, .all)), within: .seconds(60))
                if case .failed(let failure) = outcome {
                    Console.print("\(date)  \(failure.code.rawValue): \(failure.message)")
                }
            } catch let error as ResponseTimeoutError {
                // The upstream may take longer. The worker keeps the request, and the chart is printed when it comes.
                Console.print("\(date)  \(error)")
            }
        }
    }
}
