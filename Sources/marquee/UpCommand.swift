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
        details: "Everything stops with it. Logs and databases are in MARQUEE_DATA.",
        options: [
            Usage.Option(name: "--days", value: "N", meaning: "how many days to ask for at the start (default 7)")
        ])

    private let days: Int

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refusePositional()
        days =
            try arguments.value("--days", expected: "a number from 1 to 100") { text in
                Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
            } ?? 7
    }

    func run(_ configuration: Configuration) async throws -> ExitStatus {
        let signals = TerminationSignals()
        let family = try ChildProcessGroup(configuration)
        let ending = await withTaskGroup(of: Ending.self) { tasks in
            tasks.addTask {
                await signals.first()
                return .asked
            }
            for member in family.members {
                tasks.addTask { .died(member.name, status: await member.ended(), member.lastWords, member.logPath) }
            }
            tasks.addTask {
                do {
                    try await show(configuration, family)
                    return .asked
                } catch {
                    return .failed("\(error)")
                }
            }
            let first = await tasks.next() ?? .asked
            family.signal(SIGTERM)
            tasks.addTask {
                // Fails only by cancellation, once all have ended by themselves.
                if (try? await Task.sleep(for: Self.grace)) != nil { family.signal(SIGKILL) }
                return .asked
            }
            for member in family.members { _ = await member.ended() }
            tasks.cancelAll()
            return first
        }
        switch ending {
        case .asked: return .done
        case .died(let name, let status, let lastWords, let logPath):
            Console.complain("marquee: the \(name) ended with status \(status): \(lastWords) (\(logPath))")
            return .failed
        case .failed(let message):
            Console.complain("marquee: \(message)")
            return .failed
        }
    }

    /// How long the processes have to end by themselves.
    private static let grace = Duration.milliseconds(1_500)

    private enum Ending: Sendable {
        case asked
        case died(String, status: Int32, String, String)
        case failed(String)
    }

    /// Asks for the last days, oldest first, and shows what comes of it until it is cancelled.
    private func show(_ configuration: Configuration, _ family: ChildProcessGroup) async throws {
        let io = try configuration.makeClientThread()
        let yesterday = KoreanDate.yesterday(at: Date())
        Console.print(TerminalColor.bold.paint("marquee \(version)") + " · \(family.description)")
        Console.print(
            TerminalColor.dim.paint(
                "requests \(configuration.requests)  commands \(configuration.commands)  "
                    + "events \(configuration.events)  alerts \(configuration.alerts)"))
        Console.print("board " + TerminalColor.bold.paint("\(configuration.boardHTTP.url)/"))
        let alerts = try await EventReader(io, address: configuration.alerts.reachable, prefixes: ["alert."])
        let charts = try await EventReader(
            io, address: configuration.events.reachable, prefixes: ["ranking.day.all.\(yesterday)"])
        let client = RequestClient(
            io, commands: configuration.commands.reachable, events: configuration.events.reachable)
        // What is published before both subscriptions are in force is not shown, and nobody asks for it again.
        let (chartsAreHeard, hearCharts) = AsyncStream.makeStream(of: Never.self)
        let (alertsAreHeard, hearAlerts) = AsyncStream.makeStream(of: Never.self)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask {
                _ = try await charts.read { events, isLive -> Never? in
                    if isLive { hearCharts.finish() }
                    for event in events {
                        Console.print("")
                        ChartTable(chart: try event.data()).lines.forEach(Console.print)
                        Console.print("")
                    }
                    return nil
                }
            }
            tasks.addTask {
                _ = try await alerts.read { events, isLive -> Never? in
                    if isLive { hearAlerts.finish() }
                    for event in events { Console.print(EventFormatter(event: event).text) }
                    return nil
                }
            }
            tasks.addTask { [days] in
                for await _ in chartsAreHeard {}
                for await _ in alertsAreHeard {}
                for date in (0..<days).reversed().map({ yesterday - $0 }) where date >= .firstChart {
                    do {
                        let outcome = try await client.perform(Request(.day(date, .all)), within: .seconds(60))
                        if case .failed(let failure) = outcome {
                            Console.print("\(date)  \(failure.code.rawValue): \(failure.message)")
                        }
                    } catch let error as ResponseTimeoutError {
                        // An upstream may be slower than we wait; the request is in the inbox, and its chart still comes.
                        Console.print("\(date)  \(error)")
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}
